// How a model is best asked to fill a hole: tried out at load on holes that any model of code can fill. What the
// files of a model claim does not count (a plain chat model may know the tokens and not what they are for).
import type { Decoder } from './decoder';
import { fimEndTokenIds, fimLayouts, type FimLayout } from './fimFormat';
import { fimPrompt } from './fimPrompt';

export interface Infill {
  readonly infill: Decoder['infill'];
  /** The form of fill-in-the-middle prompts that gave the better answers. */
  readonly layout: FimLayout;
}

interface Hole {
  readonly fileName: string;
  readonly prefix: string;
  readonly suffix: string;
  /** What a sensible answer begins with. */
  readonly answer: RegExp;
}

const HOLES: readonly Hole[] = [
  {
    fileName: 'add.ts',
    prefix: 'export function add(a: number, b: number): number {\n  return a +',
    suffix: ';\n}\n\nexport function subtract(a: number, b: number): number {\n  return a - b;\n}\n',
    answer: /^ ?b\b/,
  },
  {
    fileName: 'multiply.py',
    prefix: 'def add(a, b):\n    return a + b\n\n\ndef multiply(a, b):\n    return',
    suffix: '\n\n\ndef divide(a, b):\n    return a / b\n',
    answer: /^ a \* b\b/,
  },
  {
    fileName: 'total.js',
    prefix: 'function total(items) {\n  let sum = 0;\n  for (const item of',
    suffix: ') {\n    sum += item.price;\n  }\n  return sum;\n}\n',
    answer: /^ items\b/,
  },
  {
    fileName: 'point.py',
    prefix: 'class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.y =',
    suffix: '\n\n    def length(self):\n        return (self.x ** 2 + self.y ** 2) ** 0.5\n',
    answer: /^ y\b/,
  },
  // Names that only the text before the cursor has: where it is far from the answer, small models lose them.
  {
    fileName: 'rateLimiter.js',
    prefix:
      'export class RateLimiter {\n  constructor(capacity, refillPerSecond) {\n    this.capacity = capacity;\n    this.refillPerSecond =',
    suffix: '\n    this.tokens = capacity;\n  }\n\n  take(count) {\n    this.tokens -= count;\n  }\n}\n',
    answer: /^ refillPerSecond\b/,
  },
  {
    fileName: 'invoice.py',
    prefix:
      'def invoice_total(unit_price, quantity):\n    subtotal = unit_price * quantity\n    tax = 0.2 * subtotal\n    return',
    suffix: '\n\n\ndef average(values):\n    return sum(values) / len(values)\n',
    answer: /^ subtotal \+ tax\b/,
  },
];

const MAX_TOKENS = 8;
/** Holes that a model fills if it fills holes at all; the others tell one form from the other. */
const NEEDED = 2;
/** Marks of a model that talks instead of filling in. */
const TALK = /```|<think|<\|im_|<\/?tool|\b(Sure|Certainly|Here is|Here's|The missing)\b/;

export type ProbeDecoder = Omit<Decoder, 'infill' | 'layout'>;

export async function infillProbe(decoder: ProbeDecoder, signal: AbortSignal): Promise<Infill> {
  const layouts = fimLayouts(decoder);
  const scores: number[] = [];
  for (const layout of layouts) scores.push(await score(decoder, layout, signal));
  const best = Math.max(...scores);
  // Where both are as good, the one that every such model was trained on.
  const layout = layouts[scores.indexOf(best)] ?? 'psm';
  if (best >= NEEDED) return { infill: 'fim', layout };
  const chat = decoder.encodeChat([{ role: 'user', content: 'Hello' }]);
  return { infill: chat === undefined ? 'prefix' : 'chat', layout: 'psm' };
}

/** Holes filled well. */
async function score(decoder: ProbeDecoder, layout: FimLayout, signal: AbortSignal): Promise<number> {
  const stopTokenIds = fimEndTokenIds(decoder);
  let filled = 0;
  for (const { answer, ...hole } of HOLES) {
    const ids = fimPrompt(hole, decoder, decoder.contextTokens - MAX_TOKENS, layout);
    if (ids === undefined || signal.aborted) return 0;
    let text = '';
    const limits = { maxTokens: MAX_TOKENS, stopStrings: ['\n'], stopTokenIds, signal };
    for await (const piece of decoder.decode(ids, limits)) text += piece.text;
    if (TALK.test(text)) return 0;
    if (answer.test(text)) filled += 1;
  }
  return filled;
}
