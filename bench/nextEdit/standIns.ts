// Replaces a model by a rule that replays the last replacement, by the text of the commit, or by noise, which must be
// rejected.
import { NO_TOKENIZER } from '../../server/hosting/noTokenizer';
import type { EditFormat } from '../../server/nextEdit/editFormat';
import type { EditDecoder } from '../../server/nextEdit/proposal';
import { sweepOne } from '../../server/nextEdit/sweep';
import { changedLines } from '../../server/rules/lineDiff';
import { Rng } from '../rng';
import type { EditState } from './editStates';
import { replacementsOf, replayed } from './replacements';

/** Matches the last change in a prompt: its lines before and after. */
const LAST_CHANGE = /\.diff\noriginal:\n([^]*)\nupdated:\n([^]*)\n<\|file_sep\|>original\//;
/** Matches the lines to rewrite, and the head: the first lines of the answer, if the prompt gives any. */
const WINDOW = /<\|file_sep\|>current\/[^\n]*\n([^]*)\n<\|file_sep\|>updated\/[^\n]*(?:\n([^]*))?$/;
/** Matches Zeta's lines to rewrite, with the marks in them, and the number of the last mark. */
const ZETA_REGION = /<\|marker_1\|>([^]*)<\|marker_(\d+)\|>\n<\[fim-middle\]>$/;
const ZETA_MARKS = /<\|(?:user_cursor|marker_\d+)\|>/g;

/** Parses a prompt in the format of `sweepOne` or Zeta, and answers with the result of `write`. */
abstract class StandIn implements EditDecoder {
  readonly contextTokens = 100_000;
  #prompt = '';
  readonly tokenizer: EditDecoder['tokenizer'] = {
    ...NO_TOKENIZER,
    encodeParts: (parts) => {
      if (parts.some(({ from }) => from === 'template'))
        this.#prompt = parts.map(({ text }) => text).join('');
      return [];
    },
    specialTokenId: () => 1,
  };

  /** Rewrites `window`, the lines below the head. `before` and `after` are the lines of the last change. */
  protected abstract write(window: string, before: string, after: string): string;

  async *decode(...[, { onEnd }]: Parameters<EditDecoder['decode']>) {
    const zeta = ZETA_REGION.exec(this.#prompt);
    const output = zeta ? this.#zetaOutput(zeta[1] ?? '', zeta[2] ?? '') : this.#sweepOutput();
    for (const text of output.match(/[^\n]*\n|[^\n]+/g) ?? []) yield await Promise.resolve({ text });
    onEnd?.('stop');
  }

  #sweepOutput(): string {
    const [, window = '', head = ''] = WINDOW.exec(this.#prompt) ?? [];
    const changes = this.#prompt.split(/<\|file_sep\|>(?=[^\n]*\.diff\n)/).at(-1) ?? '';
    const [, before = '', after = ''] = LAST_CHANGE.exec(changes) ?? [];
    const text = this.write(`${window}\n`.slice(head.length), before, after);
    // Without a head, the prompt ends within a line.
    return head === '' ? `\n${text}` : text;
  }

  #zetaOutput(region: string, lastMark: string): string {
    const window = region.replace(ZETA_MARKS, '');
    const [lastChange = ''] = this.#prompt.split('\n+++ b/').at(-1)?.split('\n\n<filename>') ?? [];
    const changed = lastChange.split('\n').slice(1);
    const side = (sign: string): string =>
      changed.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : [])).join('\n');
    // The line break after a region is not a part of it.
    const text = this.write(`${window}\n`, side('-'), side('+')).replace(/\n$/, '');
    return `<|marker_1|>${text}<|marker_${lastMark}|>`;
  }

  record(): void {
    // A stand-in decodes nothing, so it has no costs to record.
  }
}

export class ReplayRule extends StandIn {
  protected override write(window: string, before: string, after: string): string {
    const replacements = replacementsOf(before, after);
    // The last change itself stays as it is.
    const start = Math.max(0, `\n${window}`.indexOf(`\n${after}\n`));
    const end = `\n${window}`.startsWith(`\n${after}\n`, start) ? start + after.length : start;
    const above = window.slice(0, start);
    const below = window.slice(end);
    return `${replayed(above, replacements)}${window.slice(start, end)}${replayed(below, replacements)}`;
  }
}

/**
 * Answers with the text after the next hunk, so that every miss is due to the window, to the place where the rest of
 * the answer is cut off, or to a refusal.
 */
export class Truth extends StandIn {
  constructor(
    private readonly state: EditState,
    private readonly format: EditFormat = sweepOne,
  ) {
    super();
  }

  protected override write(window: string): string {
    const { texts, nextTexts, cursor } = this.state;
    const current = texts.at(-1) ?? [];
    const goal = nextTexts[0] ?? current;
    const { from: first, to } = this.format.span(current, cursor);
    const from = Math.max(first, to - window.split('\n').length + 1);
    const { at = from, removed = 0 } = changedLines(current, goal) ?? {};
    // A model does not write what is outside its window.
    if (at < from || at + removed > to) return window;
    return `${goal.slice(from, to + goal.length - current.length).join('\n')}\n`;
  }
}

/** Answers with random words of the window, which is the best that random weights would do. */
export class Noise extends StandIn {
  readonly #rng: Rng;

  constructor(seed: number) {
    super();
    this.#rng = new Rng(seed);
  }

  protected override write(window: string): string {
    const words = window.match(/\S+|\s+/g) ?? [];
    return words.map(() => words[Math.floor(this.#rng.next() * words.length)] ?? '').join('');
  }
}
