// What a test sees of an SVG file: its elements with attributes and text. Refuses what is not well-formed XML.
import assert from 'node:assert/strict';

export interface SvgElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Directly inside of it, with entities decoded. */
  text: string;
}

const TOKEN =
  /<(?<close>\/?)(?<name>[a-z]+)(?<attributes>(?: [\w-]+="[^"<>]*")*)(?<empty>\/?)>|(?<text>[^<>]+)/gy;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

export function svgElements(text: string): SvgElement[] {
  const elements: SvgElement[] = [];
  const open: SvgElement[] = [];
  let read = 0;
  for (const { 0: all, groups = {} } of text.matchAll(TOKEN)) {
    read += all.length;
    const { name = '', attributes = '' } = groups;
    if (groups['text'] !== undefined) {
      const inside = open.at(-1);
      if (inside) inside.text += decoded(all);
      else assert.equal(all.trim(), '', 'text outside of all elements');
    } else if (groups['close'] === '/') {
      assert.equal(open.pop()?.name, name);
    } else {
      const element = { name, attributes: attributesOf(attributes), text: '' };
      assert.ok(open.length > 0 || elements.length === 0, 'a second root');
      elements.push(element);
      if (groups['empty'] !== '/') open.push(element);
    }
  }
  assert.equal(read, text.length, `not XML: ${text.slice(read, read + 60)}`);
  assert.deepEqual(open, []);
  return elements;
}

/** The elements of one class, in the order of the file. */
export function ofClass(elements: readonly SvgElement[], name: string): SvgElement[] {
  return elements.filter(({ attributes }) => (attributes['class'] ?? '').split(' ').includes(name));
}

export function numberOf({ attributes }: SvgElement, name: string): number {
  const value = Number(attributes[name]);
  assert.ok(Number.isFinite(value), `${name}="${String(attributes[name])}"`);
  return value;
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/ ([\w-]+)="([^"]*)"/g)];
  assert.equal(new Set(pairs.map(([, name]) => name)).size, pairs.length, 'an attribute twice');
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, decoded(value)]));
}

function decoded(text: string): string {
  assert.doesNotMatch(text, /&(?!(amp|lt|gt|quot);)/);
  assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
  return text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? '');
}
