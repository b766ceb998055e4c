// Decodes one suggestion: reads the output until the suggestion is syntactically complete, cleans it, and decides
// whether to show it. For an explicit request, draws further texts at random.
import { CursorOutput } from '../prompt/cursorOutput';
import { cleanSuggestion, emptyingStep } from '../suggestion/cleanSuggestion';
import { extentAt, type Extent } from '../suggestion/extent';
import { GhostTextEnd, readCuts } from '../suggestion/ghostTextEnd';
import { KeepFilter } from './keepFilter';
import { promptRequest } from './promptRequest';
import { randomSamplings } from './randomSamplings';
import type { SuggestionRequest, SuggestResult, SuggestionResources } from './suggestionRequest';

/** Maximum number of texts for one request, the most probable one included. */
const MAX_SUGGESTIONS = 3;
/** Matches the last word of an output, with the punctuation before it: further output can change both. */
const LAST_WORD = /[^\p{ID_Continue}]*[\p{ID_Continue}$]*$/u;
const HAS_WORD = /[\p{L}\p{N}]/u;

export class SuggestionDecode {
  readonly #output: CursorOutput;
  readonly #keepFilter: KeepFilter;
  /** Extents of the texts to offer; the first one is that of the settings. */
  readonly #extents: readonly [Extent, ...Extent[]];
  /** First part that the listener has received, cleaned: it must stay. */
  #firstPart = '';
  /** Number of certain characters at the last report to the listener. */
  #reported = 0;
  /** Whether words of an unfinished line were reported. */
  #hasWords = false;

  constructor(
    private readonly request: SuggestionRequest,
    private readonly resources: SuggestionResources,
  ) {
    this.#extents = extents(request);
    const isComplete = (text: string): boolean => this.#ends().every((end) => end.push(text) !== undefined);
    const limits = { ...promptRequest(request, resources), isComplete };
    this.#output = new CursorOutput(limits, resources.decoder, mustConfirmEntry(request, resources));
    this.#keepFilter = new KeepFilter(request, (length) => this.#output.logprobs(length));
  }

  /**
   * Returns the most probable text and, for an explicit request, alternatives, with \n for line ends. Stores them as a
   * recent suggestion.
   */
  async run(): Promise<SuggestResult> {
    const { context, signal } = this.request;
    const { recent, listener } = this.resources;
    const pieces = this.#keepFilter.unlessHidden(this.#output.pieces());
    const { output, cuts } = await readCuts(pieces, this.#ends(), this.#reason, this.#report);
    if (signal.aborted) return nothing('cancelled');
    if (output.trim() === '')
      return this.#output.isEntryRejected ? nothing('hidden', 'other entry') : nothing('empty');
    const [complete = '', ...otherExtents] = cuts.map((text) => cleanSuggestion(text, context));
    const isHidden = complete !== '' && this.#keepFilter.hides(complete);
    // The complete text can lack a part that is visible already, or be a filler. A visible part must stay.
    const keepsPart = this.#firstPart !== '' && (isHidden || !complete.startsWith(this.#firstPart));
    if (isHidden && !keepsPart) return nothing('hidden', this.#keepFilter.cause);
    const first = keepsPart ? cleanSuggestion(this.#firstPart, context) : complete;
    const { probability: keepProbability } = this.#keepFilter;
    if (first !== '') listener?.onCertain([first], keepProbability);
    const texts = distinct([...(await this.#withDraws(first)), ...otherExtents]).slice(0, MAX_SUGGESTIONS);
    if (texts.length === 0) return nothing('filtered', emptyingStep(cuts[0] ?? '', context));
    // After a cancellation, only the first text is stored, so that the next request draws the others.
    recent.remember(context, signal.aborted ? distinct([first]) : texts, keepProbability);
    return { outcome: 'shown', texts, keepProbability };
  }

  /** Reports the certain part of the first text to the listener whenever it has grown. */
  readonly #report = (output: string, certain: number): void => {
    const { listener } = this.resources;
    listener?.onOutput(output);
    if (certain === 0) this.#reportWords(output);
    if (!listener || certain === this.#reported) return;
    this.#reported = certain;
    const part = cleanSuggestion(output.slice(0, certain), this.request.context, true);
    if (part === '' || this.#keepFilter.hides(part, true)) return;
    this.#firstPart ||= part;
    listener.onCertain([part], this.#keepFilter.probability);
  };

  /** Reports the whole words of the first line, once, if the answer to an automatic request is late. */
  #reportWords(output: string): void {
    const { listener, isLate } = this.resources;
    const isWaiting = this.request.trigger === 'automatic' && !this.#hasWords;
    if (!listener || !isWaiting || isLate?.() !== true) return;
    const words = cleanSuggestion(output.replace(LAST_WORD, ''), this.request.context, true);
    if (!HAS_WORD.test(words) || words.includes('\n') || this.#keepFilter.hides(words)) return;
    this.#hasWords = true;
    this.#firstPart = words;
    listener.onCertain([words], this.#keepFilter.probability);
  }

  /** Returns the first text with others drawn at random, until there are enough or the request is cancelled. */
  async #withDraws(first: string): Promise<ReadonlySet<string>> {
    const { context, signal } = this.request;
    const texts = new Set([first]);
    for (const sampling of randomSamplings(this.request)) {
      if (texts.size === MAX_SUGGESTIONS) break;
      const end = new GhostTextEnd(context, this.#extents[0]);
      const { cuts } = await readCuts(this.#output.pieces(sampling), [end], this.#reason);
      if (signal.aborted) break;
      const text = cleanSuggestion(cuts[0] ?? '', context);
      if (text !== '') texts.add(text);
    }
    return texts;
  }

  readonly #reason = () => this.#output.finishReason;

  #ends(): GhostTextEnd[] {
    return this.#extents.map((extent) => new GhostTextEnd(this.request.context, extent));
  }
}

/** Returns the extent that the settings name and, for an explicit request, the others that are possible. */
function extents({ context, trigger, settings }: SuggestionRequest): readonly [Extent, ...Extent[]] {
  const first = extentAt(context, settings.multiline);
  if (trigger === 'automatic') return [first];
  const otherExtents = new Set([extentAt(context, 'never'), extentAt(context, 'always')]);
  otherExtents.delete(first);
  return [first, ...otherExtents];
}

/**
 * Returns whether the model has to confirm the selected entry: VS Code selects the first entry of its list by itself,
 * and the model can find it improbable. An entry that the user has chosen needs no confirmation.
 */
function mustConfirmEntry(
  { context, trigger, settings }: SuggestionRequest,
  { decoder }: SuggestionResources,
): boolean {
  const hides = trigger === 'automatic' && settings.hideBelow > 0;
  return hides && decoder.greedyLogprobs && context.selected?.isChosen === false;
}

function nothing(outcome: SuggestResult['outcome'], cause?: string): SuggestResult {
  return { outcome, texts: [], ...(cause !== undefined && { cause }) };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
