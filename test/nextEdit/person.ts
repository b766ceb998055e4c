// A user who types and requests next edits in a session with a scripted model.
import type { DecodeLimits } from '../../server/completion/decoder';
import type { EditRequest } from '../../server/nextEdit/editRun';
import { NextEditSession } from '../../server/nextEdit/nextEditSession';
import type { EditDecoder } from '../../server/nextEdit/proposal';
import { sweepOne } from '../../server/nextEdit/sweep';
import { WordlessTokenizer } from '../completion/wordlessTokenizer';
import { AFTER, CURSOR, snapshot, URI } from './sumFile';

/** Special tokens that the scripted model has: those of Sweep. */
export const SPECIAL = ['<|file_sep|>', '<|endoftext|>'];
/** Output of Sweep for the example of sumFile.ts, and that of Zeta. */
export const OUTPUT = `\n${AFTER}`;
export const ZETA_OUTPUT = `<|marker_1|>${AFTER}<|marker_2|>`;
/** URI of another document. */
export const OTHER = 'file:///other.ts';

/** Gives one output per request, and the last one for all further requests. An end token follows unless `isCut`. */
export class ScriptedModel implements EditDecoder {
  tokenizer = new WordlessTokenizer(SPECIAL);
  contextTokens = 8192;
  readonly prompts: string[] = [];
  readonly limits: DecodeLimits[] = [];
  readonly outcomes: string[] = [];
  /** Number of characters of the outputs that were read. */
  read = 0;
  /** Awaited before each piece. */
  gate: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly outputs: readonly string[] = [OUTPUT],
    private readonly isCut = false,
  ) {}

  async *decode(...[ids, limits]: Parameters<EditDecoder['decode']>) {
    const { signal, onEnd } = limits;
    this.limits.push(limits);
    const output = this.outputs[Math.min(this.prompts.length, this.outputs.length - 1)] ?? '';
    this.prompts.push(this.tokenizer.decode(ids));
    for (const text of output.match(/[^\n]{1,4}|\n/g) ?? []) {
      await this.gate();
      if (signal.aborted) return onEnd?.('superseded');
      this.read += text.length;
      yield { text };
    }
    onEnd?.(this.isCut ? 'length' : 'stop');
  }

  record(_: string, outcome = 'none'): void {
    this.outcomes.push(outcome);
  }
}

/** A user who types into one document, with two seconds between texts, and requests next edits. */
export class Person {
  time = 0;
  readonly logs: string[] = [];
  /** Number of requests for a model. */
  useCount = 0;
  /** Delays each request for a model until it resolves. */
  lent: Promise<void> | undefined;
  readonly session: NextEditSession;

  constructor(
    readonly model: ScriptedModel | null = new ScriptedModel(),
    format = sweepOne,
    promptTokens = 1000,
  ) {
    const lentModel = model === null ? undefined : { format, decoder: model, promptTokens };
    this.session = new NextEditSession({
      use: async (_, work) => {
        this.useCount += 1;
        await this.lent;
        return await work(lentModel);
      },
      quiet: () => Promise.resolve(),
      log: (line) => void this.logs.push(line),
      now: () => this.time,
    });
  }

  types(...texts: readonly string[]): this {
    for (const text of texts) {
      this.time += 2000;
      this.session.changed(snapshot(text));
    }
    return this;
  }

  ask(overrides: Partial<EditRequest> = {}) {
    const signal = new AbortController().signal;
    return this.session.nextEdit({
      uri: URI,
      cursor: CURSOR,
      trigger: 'automatic',
      useOpenFiles: true,
      signal,
      ...overrides,
    });
  }
}
