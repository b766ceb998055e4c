// Replaces a model by a rule that replays the last replacement, by the text of the commit, or by noise, which must be
// rejected.
import type { EditDecoder } from '../../server/nextEdit/proposal';
import { sweepOne } from '../../server/nextEdit/sweep';
import { Rng } from '../rng';
import type { EditState } from './editStates';
import { replacementsOf, replayed } from './replacements';

const TOKENS = { ids: [] };
/** Matches the last change in a prompt: its lines before and after. */
const LAST_CHANGE = /\.diff\noriginal:\n([^]*)\nupdated:\n([^]*)\n<\|file_sep\|>original\//;
/** Matches the lines to rewrite, and the head: the first lines of the answer, if the prompt gives any. */
const WINDOW = /<\|file_sep\|>current\/[^\n]*\n([^]*)\n<\|file_sep\|>updated\/[^\n]*(?:\n([^]*))?$/;

/** Parses a prompt in the format of `sweepOne` and answers with the result of `write`. */
abstract class StandIn implements EditDecoder {
  readonly contextTokens = 100_000;
  #prompt = '';
  readonly tokenizer: EditDecoder['tokenizer'] = {
    encodeParts: (parts) => {
      if (parts.some(({ from }) => from === 'template'))
        this.#prompt = parts.map(({ text }) => text).join('');
      return [...TOKENS.ids];
    },
    specialTokenId: () => 1,
  };

  /** Rewrites `window`, the lines below the head. `before` and `after` are the lines of the last change. */
  protected abstract write(window: string, before: string, after: string): string;

  async *decode(...[, { onEnd }]: Parameters<EditDecoder['decode']>) {
    const [, window = '', head = ''] = WINDOW.exec(this.#prompt) ?? [];
    const changes = this.#prompt.split(/<\|file_sep\|>(?=[^\n]*\.diff\n)/).at(-1) ?? '';
    const [, before = '', after = ''] = LAST_CHANGE.exec(changes) ?? [];
    const text = this.write(`${window}\n`.slice(head.length), before, after);
    // Without a head, the prompt ends within a line.
    const output = head === '' ? `\n${text}` : text;
    for (const text of output.match(/[^\n]*\n|[^\n]+/g) ?? []) yield await Promise.resolve({ text });
    onEnd?.('stop');
  }

  record(): void {
    // A rule has no decode cost to record.
  }
}

export class ReplayRule extends StandIn {
  protected override write(window: string, before: string, after: string): string {
    const replacements = replacementsOf(before, after);
    // The last change itself stays as it is.
    const start = Math.max(0, `\n${window}`.indexOf(`\n${after}\n`));
    const end = `\n${window}`.startsWith(`\n${after}\n`, start) ? start + after.length : start;
    const [above, below] = [window.slice(0, start), window.slice(end)];
    return `${replayed(above, replacements)}${window.slice(start, end)}${replayed(below, replacements)}`;
  }
}

/** Answers with the text of the commit, so that all misses are due to the window, convergence or a refusal. */
export class Truth extends StandIn {
  constructor(private readonly state: EditState) {
    super();
  }

  protected override write(window: string): string {
    const { texts, nextTexts, cursor } = this.state;
    const current = texts.at(-1) ?? [];
    const goal = nextTexts[0] ?? current;
    const { to } = sweepOne.span(current, cursor);
    const from = to - window.split('\n').length + 1;
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
