// The `range` of chat templates with a limit. That of the library makes a list of any length, and a template that comes
// with a model could so fill the memory, which ends the process.
import type { Template } from '@huggingface/jinja';

/** Numbers in all lists of one prompt; templates that count do so by messages. */
const MOST_NUMBERS = 100_000;
/** No name of a template. */
const BOUNDED = 'range of limited length';

/** Makes a template call `boundedRange`, which has to be among the variables of each rendering. */
export function boundRanges(template: Template): Template {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, callee } = node as { type?: unknown; callee?: { type?: unknown; value?: unknown } };
    if (type === 'CallExpression' && callee?.type === 'Identifier' && callee.value === 'range')
      callee.value = BOUNDED;
    for (const part of node instanceof Map ? node : Object.values(node)) visit(part);
  };
  visit(template.parsed);
  return template;
}

/** For one rendering. */
export function boundedRange(): Readonly<Record<string, unknown>> {
  let left = MOST_NUMBERS;
  const range = (first: number, second?: number, step = 1): number[] => {
    const [from, to] = second === undefined ? [0, first] : [first, second];
    const count = Math.max(0, Math.ceil((to - from) / step));
    // Neither for what is not a number.
    if (!(count <= left)) throw new Error(`more than ${String(MOST_NUMBERS)} numbers from range()`);
    left -= count;
    return Array.from({ length: count }, (_, i) => from + i * step);
  };
  return { [BOUNDED]: range };
}
