// SVG as text: elements from names, attributes and children, in which every text is escaped. Knows no charts.

/** Text that is SVG already. */
export class Markup {
  constructor(readonly text: string) {}
}

export type Attributes = Readonly<Record<string, string | number>>;

/** Numbers are written with one decimal at most, which is finer than a pixel. */
export function svgElement(
  name: string,
  attributes: Attributes,
  ...children: readonly (Markup | string)[]
): Markup {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(typeof value === 'number' ? rounded(value) : value)}"`,
  );
  const inside = children.map((child) => (child instanceof Markup ? child.text : escaped(child))).join('');
  return new Markup(
    inside === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${inside}</${name}>`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML allows no control characters but these, in any form. */
function escaped(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, ' ').replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
