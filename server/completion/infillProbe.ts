// How best to prompt a model to fill a hole: probed at its first load with holes that any code model can fill. What its
// files claim does not count (a plain chat model may have the tokens without knowing what they are for).
import type { Decoder, FimLayout, Infill } from './decoder';
import { fimEndTokenIds, fimLayouts, fimPrompt } from './fimPrompt';
import { otherFilesProbe } from './otherFilesProbe';

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
    fileName: 'total.js',
    prefix: 'function total(items) {\n  let sum = 0;\n  for (const item of',
    suffix: ') {\n    sum += item.price;\n  }\n  return sum;\n}\n',
    answer: /^ items\b/,
  },
  // Asks for names from before the cursor: if those are far from the answer, small models use ones near the hole.
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
  {
    fileName: 'span.py',
    prefix: 'class Span:\n    def __init__(self, start, end):\n        if start >',
    suffix:
      ':\n            raise ValueError("start must not lie behind the end")\n        self.start = start\n        self.end = end\n\n    def __len__(self):\n        return self.end - self.start\n\n    def overlaps(self, other):\n        return self.start < other.end and other.start < self.end\n',
    answer: /^ end\b/,
  },
  {
    fileName: 'bucket.js',
    prefix:
      'export class Bucket {\n  constructor(capacity) {\n    this.capacity = capacity;\n    this.level = 0;\n  }\n\n  add(amount) {\n    const next = this.level +',
    suffix:
      ';\n    if (next > this.capacity) return false;\n    this.level = next;\n    return true;\n  }\n\n  drain() {\n    this.level = 0;\n  }\n\n  get isFull() {\n    return this.level >= this.capacity;\n  }\n}\n',
    answer: /^ amount\b/,
  },
  {
    fileName: 'schedule.py',
    prefix:
      'class Slot:\n    def __init__(self, day, begin, end):\n        self.day = day\n        self.begin = begin\n        self.end = end\n\n    def contains(self, time):\n        return self.begin <= time <',
    suffix:
      '\n\n\nclass Schedule:\n    def __init__(self):\n        self.slots = []\n\n    def add(self, slot):\n        self.slots.append(slot)\n\n    def on(self, day):\n        return [slot for slot in self.slots if slot.day == day]\n',
    answer: /^ self\.end\b/,
  },
  {
    fileName: 'form.tsx',
    prefix:
      "import { useState } from 'react';\n\nexport function Form({ onSubmit }: { onSubmit: (text: string) => void }) {\n  const [text, setText] =",
    suffix:
      ';\n\n  return (\n    <form onSubmit={() => onSubmit(text)}>\n      <input value={text} onChange={(event) => setText(event.target.value)} />\n    </form>\n  );\n}\n',
    answer: /^ useState(<string>)?\((''|"")\)/,
  },
];

/** Incremented when the holes, the prompts or what counts as filled change. Older results are probed again. */
export const PROBE_VERSION = 3;

const MAX_TOKENS = 8;
/** Holes that a model fills if it can fill holes at all; the others tell the layouts apart. */
const NEEDED = 2;
/** Marks of a model that talks instead of filling in. */
const TALK = /```|<think|<\|im_|<\/?tool|\b(Sure|Certainly|Here is|Here's|The missing)\b/;

export type ProbeDecoder = Omit<Decoder, keyof Infill>;

export async function infillProbe(decoder: ProbeDecoder, signal: AbortSignal): Promise<Infill> {
  const layouts = fimLayouts(decoder.tokenizer);
  let best: FimLayout | undefined;
  let wanted = NEEDED;
  // If both are equally good, the first: it has less to read at each key.
  for (const layout of layouts) {
    const filled = await score(decoder, layout, wanted, signal);
    if (filled < wanted) continue;
    best = layout;
    wanted = filled + 1;
  }
  if (best !== undefined) {
    const infill = { infill: 'fim', layout: best } as const;
    const otherFiles = await otherFilesProbe(decoder, infill, signal);
    return { ...infill, ...(otherFiles && { otherFiles }) };
  }
  const chat = decoder.encodeChat([{ role: 'user', content: 'Hello' }]);
  return { infill: chat === undefined ? 'prefix' : 'chat', layout: 'psm' };
}

/** Holes filled well; some number below `wanted` as soon as it can no longer be reached. */
async function score(
  decoder: ProbeDecoder,
  layout: FimLayout,
  wanted: number,
  signal: AbortSignal,
): Promise<number> {
  const stopTokenIds = fimEndTokenIds(decoder.tokenizer);
  let filled = 0;
  for (const [i, { answer, ...hole }] of HOLES.entries()) {
    if (filled + HOLES.length - i < wanted) return 0;
    const ids = fimPrompt(hole, decoder.tokenizer, decoder.contextTokens - MAX_TOKENS, layout);
    if (ids === undefined || signal.aborted) return 0;
    let text = '';
    const limits = { maxTokens: MAX_TOKENS, stopStrings: ['\n'], stopTokenIds, signal };
    for await (const piece of decoder.decode(ids, limits)) text += piece.text;
    if (TALK.test(text)) return 0;
    if (answer.test(text)) filled += 1;
  }
  return filled;
}
