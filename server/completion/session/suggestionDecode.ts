// The decode of one suggestion: reads the output until the syntax says that it is complete, cleans it, and judges
// whether it is worth showing. For an explicit request, further texts are drawn at random.
import { CursorOutput } from '../prompt/cursorOutput';
import { cleanSuggestion, emptyingStep } from '../suggestion/cleanSuggestion';
import { GhostTextEnd, readCuts, width, type Width } from '../suggestion/ghostTextEnd';
import { KeepFilter } from '../suggestion/keepFilter';
import { promptRequest } from './promptRequest';
import { randomSamplings } from './randomSamplings';
import type { SuggestionRequest, SuggestResult, SuggestTools } from './suggestionRequest';

/** Texts with \n for line ends, the most probable first. */
export type FoundTexts = Pick<SuggestResult, 'texts' | 'keepProbability'>;
/** The reason why there are no texts. */
type FoundNothing = Pick<SuggestResult, 'outcome' | 'cause'>;

/** Maximum number of texts for one request, the most probable one included. */
const MAX_SUGGESTIONS = 3;
/** Matches the last word of an output and the marks before it, all of which further output can change. */
const LAST_WORD = /[^\p{ID_Continue}]*[\p{ID_Continue}$]*$/u;
const HAS_WORD = /[\p{L}\p{N}]/u;

export class SuggestionDecode {
  readonly #output: CursorOutput;
  readonly #judge: KeepFilter;
  /** How much texts can span, the requested width first. */
  readonly #widths: readonly [Width, ...Width[]];
  /** The first part that the listener got. */
  #firstPart = '';
  /** Number of certain characters at the last report to the listener. */
  #reported = 0;
  /** Whether words of an unfinished line were reported. */
  #hasWords = false;

  constructor(
    private readonly request: SuggestionRequest,
    private readonly tools: SuggestTools,
  ) {
    this.#widths = widths(request);
    const isComplete = (text: string): boolean => this.#ends().every((end) => end.push(text) !== undefined);
    const limits = { ...promptRequest(request, tools), isComplete };
    this.#output = new CursorOutput(limits, tools.decoder, judgesEntry(request, tools));
    this.#judge = new KeepFilter(request, this.#output);
  }

  /**
   * Returns the most probable text and, for an explicit request, others, or why there is none. Remembers them as recent
   * suggestions.
   */
  async run(): Promise<FoundTexts | FoundNothing> {
    const { context, signal } = this.request;
    const { recent, listener } = this.tools;
    const pieces = this.#judge.unlessHidden(this.#output.pieces());
    const { output, cuts } = await readCuts(pieces, this.#ends(), this.#reason, this.#report);
    if (signal.aborted) return { outcome: 'cancelled' };
    if (output.trim() === '')
      return this.#output.isOtherEntry ? { outcome: 'hidden', cause: 'other entry' } : { outcome: 'empty' };
    const [complete = '', ...otherWidths] = cuts.map((text) => cleanSuggestion(text, context));
    // Cleaning the complete text can remove a part that is already visible; that part stays.
    const first =
      listener && !complete.startsWith(this.#firstPart)
        ? cleanSuggestion(this.#firstPart, context)
        : complete;
    if (first !== '' && this.#judge.hides(first)) return { outcome: 'hidden', cause: this.#judge.cause };
    const { probability: keepProbability } = this.#judge;
    if (first !== '') listener?.onCertain([first], keepProbability);
    const texts = distinct([...(await this.#withDraws(first)), ...otherWidths]).slice(0, MAX_SUGGESTIONS);
    if (texts.length === 0) return { outcome: 'filtered', cause: emptyingStep(cuts[0] ?? '', context) };
    // A cancelled request remembers only the first text, so that the next one draws the others.
    recent.remember(context, signal.aborted ? distinct([first]) : texts, keepProbability);
    return { texts, keepProbability };
  }

  /** Reports the certain part of the first text to the listener whenever it has grown. */
  readonly #report = (output: string, certain: number): void => {
    const { listener } = this.tools;
    listener?.onOutput(output);
    if (certain === 0) this.#reportWords(output);
    if (!listener || certain === this.#reported) return;
    this.#reported = certain;
    const part = cleanSuggestion(output.slice(0, certain), this.request.context, true);
    this.#firstPart ||= part;
    if (part !== '' && !this.#judge.hides(part, true)) listener.onCertain([part], this.#judge.probability);
  };

  /** Reports the whole words of the first line, once, where the answer to an automatic request is late. */
  #reportWords(output: string): void {
    const { listener, isLate } = this.tools;
    const isWaiting = this.request.trigger === 'automatic' && !this.#hasWords;
    if (!listener || !isWaiting || isLate?.() !== true) return;
    const words = cleanSuggestion(output.replace(LAST_WORD, ''), this.request.context, true);
    if (!HAS_WORD.test(words) || words.includes('\n') || this.#judge.hides(words)) return;
    this.#hasWords = true;
    listener.onCertain([words], this.#judge.probability);
  }

  /** Returns the first text and those drawn at random, until there are enough or the request is cancelled. */
  async #withDraws(first: string): Promise<ReadonlySet<string>> {
    const { context, signal } = this.request;
    const texts = new Set([first]);
    for (const sampling of randomSamplings(this.request)) {
      if (texts.size === MAX_SUGGESTIONS) break;
      const end = new GhostTextEnd(context, this.#widths[0]);
      const { cuts } = await readCuts(this.#output.pieces(sampling), [end], this.#reason);
      if (signal.aborted) break;
      const text = cleanSuggestion(cuts[0] ?? '', context);
      if (text !== '') texts.add(text);
    }
    return texts;
  }

  readonly #reason = () => this.#output.finishReason;

  #ends(): GhostTextEnd[] {
    return this.#widths.map((lineWidth) => new GhostTextEnd(this.request.context, lineWidth));
  }
}

/** Returns how much texts can span: as set, and for an explicit request every other width too. */
function widths({ context, trigger, settings }: SuggestionRequest): readonly [Width, ...Width[]] {
  const first = width(context, settings.multiline);
  if (trigger === 'automatic') return [first];
  const otherWidths = new Set([width(context, 'never'), width(context, 'always')]);
  otherWidths.delete(first);
  return [first, ...otherWidths];
}

/**
 * Returns whether the model has to confirm the selected entry: VS Code selects the first entry of its list by itself,
 * and the model can know it to be wrong. An entry that the user has chosen needs no confirmation.
 */
function judgesEntry({ context, trigger, settings }: SuggestionRequest, { decoder }: SuggestTools): boolean {
  const hides = trigger === 'automatic' && (settings.hideBelow ?? 0) > 0;
  return hides && decoder.greedyLogprobs === true && context.selected?.isChosen === false;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
