// The completions of one client: the one running answer, and what is read and computed in advance. Knows neither
// messages nor engines; models are lent to it for each request.
import type { ServerSettings } from '../../rules/serverSettings';
import { completionContext, type DocumentSnapshot, type SelectedItem } from '../prompt/context';
import type { Decoder } from '../decoder';
import type { Needed } from '../prompt/definitions';
import type { PromptTokens } from '../prompt/promptTokens';
import { Snippets } from '../prompt/snippets';
import { OpenDelimiters } from '../syntax/openDelimiters';
import { acceptedDocument, Prefetch, type PrefetchParts } from './prefetch';
import type { RecentSuggestions } from './recent';
import { RunningAnswer } from './runningAnswer';
import {
  placed,
  readAhead,
  suggest,
  type Suggestion,
  type SuggestRequest,
  type SuggestResult,
  type SuggestTools,
  type Watch,
} from './suggest';

/** For one request. */
export interface SessionDecoder extends Decoder {
  /** Whether what is asked leaves the machine. */
  readonly isRemote?: boolean;
  /**
   * Tells the client what its decodes cost, in which file, and how long they waited for a pause in typing. Has no outcome
   * if nothing was meant to be shown.
   */
  record(fileName: string, outcome?: SuggestResult['outcome'], pausedMs?: number): void;
}

interface CompletionModel {
  /** What this model has recently suggested. */
  readonly recent: RecentSuggestions;
  /** How long its prompts may be. */
  readonly promptTokens: PromptTokens;
}

/** The models as a client sees them. */
interface CompletionModels<M extends CompletionModel> {
  /** Loads the model if necessary; `work` gets undefined if it cannot be loaded. */
  use<T>(work: (model: M | undefined) => Promise<T>): Promise<T>;
  /** Shows that the model is working, even between its decodes. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** Somebody types in this language, so a request is likely. */
  wake(languageId: string): void;
  /** Earlier suggestions in a document must not be shown again. */
  forget(uri: string): void;
  /** Whether there is a model that nobody is waiting for. */
  readonly isIdle: boolean;
}

interface SessionParts<M extends CompletionModel> extends Omit<PrefetchParts, 'isIdle'> {
  readonly models: CompletionModels<M>;
  readonly decoder: (model: M, kind: 'inline' | 'prefetch') => SessionDecoder;
  /** Told whether the battery keeps automatic requests from an answer, where the settings ask for that. */
  readonly onPause?: (isOnPause: boolean) => void;
}

type InlineRequest = SuggestRequest & {
  readonly settings: Pick<ServerSettings, 'useOpenFiles' | 'prefetch' | 'pauseOnBattery' | 'maxPromptTokens'>;
};

export interface CompletionRequest extends Omit<InlineRequest, 'context'> {
  readonly uri: string;
  readonly offset: number;
  readonly selected: SelectedItem | undefined;
  /** One level of indentation as the editor is set. */
  readonly editorUnit?: string | undefined;
  /** Told what can be shown before the answer is complete; each time replaces the one before. */
  readonly onPart?: ((suggestions: readonly Suggestion[]) => void) | undefined;
}

/** A cursor where nothing was typed: where the person was, and perhaps the next place where they type. */
export type Rest = Pick<CompletionRequest, 'uri' | 'offset' | 'settings'>;

export class CompletionSession<M extends CompletionModel> {
  /** Each at its newest version; the most recently used comes last. */
  readonly #documents = new Map<string, DocumentSnapshot>();
  readonly #snippets = new Snippets();
  readonly #openDelimiters = new OpenDelimiters();
  readonly #prefetch: Prefetch;
  #rest: Rest | undefined;
  /** Languages with a request so far: typing in others does not suggest that one will come. */
  readonly #asked = new Set<string>();
  #running: RunningAnswer | undefined;
  /** The entry of the list that was selected at the last request. */
  #selected: { readonly document: DocumentSnapshot; readonly item: SelectedItem } | undefined;
  /** Counts requests. */
  #turn = 0;
  /** As of the last automatic request that had to ask. */
  #isOnPause = false;

  constructor(private readonly parts: SessionParts<M>) {
    this.#prefetch = new Prefetch({ ...parts, isIdle: () => parts.models.isIdle });
  }

  document(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** A document was opened or has changed; `editedAt` is where the user typed. */
  changed(document: DocumentSnapshot, editedAt?: number): void {
    const { uri, languageId, ineligible } = document;
    this.#rest = undefined;
    this.#documents.set(uri, document);
    this.#prefetch.changed(document);
    if (ineligible !== undefined) this.#snippets.forget(uri);
    else if (editedAt !== undefined) {
      this.#snippets.edited(document, editedAt);
      const isLikely = this.#asked.size === 0 || this.#asked.has(languageId);
      if (isLikely && !this.#isOnPause) this.parts.models.wake(languageId);
    }
  }

  closed(uri: string): void {
    this.#prefetch.stop();
    this.parts.models.forget(uri);
    this.#snippets.closed(uri);
    this.#documents.delete(uri);
  }

  /** A file or folder was deleted: places in it are not quoted any more. */
  deleted(uri: string): void {
    this.#snippets.keepPlaces((other) => other !== uri && !other.startsWith(`${uri}/`));
  }

  /** What is remembered of files that are not open may not be quoted any more. */
  forgetClosed(): void {
    this.#snippets.keepPlaces((uri) => this.#documents.has(uri));
  }

  /** Text of other files and cells, which may enter prompts for an open document that needs it. */
  define(uri: string, needed: Needed): void {
    if (this.#eligible(uri) === undefined) return;
    this.#snippets.define(uri, needed);
    if (this.#rest?.uri !== uri) return;
    this.#prefetch.stop();
    this.rested(this.#rest);
  }

  /** The prompt for such a cursor is read in advance, while nothing else is to be done. */
  rested(rest: Rest): void {
    const { uri, offset, settings } = rest;
    const { models, decoder: decoderOf } = this.parts;
    const document = this.#eligible(uri);
    if (document === undefined) return;
    this.#rest = rest;
    this.#visited(document, offset);
    // No model is loaded for it.
    if (!models.isIdle) return;
    const context = completionContext(document, offset);
    const when = settings.prefetch === 'always' && settings.pauseOnBattery ? 'pluggedIn' : settings.prefetch;
    this.#prefetch.start({ document, start: offset, context }, when, (signal) =>
      models.use(async (model) => {
        if (model === undefined || signal.aborted) return;
        const decoder = decoderOf(model, 'prefetch');
        if (decoder.isRemote) return;
        const request = { context, trigger: 'automatic', settings, signal } as const;
        await readAhead(request, this.#tools(request, model, decoder));
        decoder.record(document.fileName);
      }),
    );
  }

  /** The client has gone. */
  end(): void {
    this.stopPrefetch();
    this.#running?.stop('cancelled');
  }

  /** Cancels the prefetch because of another request. */
  stopPrefetch(): void {
    this.#prefetch.stop();
  }

  /** The settings have changed. */
  configured({ pauseOnBattery }: Pick<ServerSettings, 'pauseOnBattery'>): void {
    this.stopPrefetch();
    if (!pauseOnBattery) this.#pause(false);
  }

  /**
   * Texts to show, the most probable first. Ends the previous request, unless the person has typed what that is writing:
   * then its answer is waited for. Suggests nothing in ineligible files.
   */
  async complete({
    uri,
    offset,
    selected,
    editorUnit,
    onPart,
    ...request
  }: CompletionRequest): Promise<readonly Suggestion[]> {
    // A client may ask again without cancelling. This runs before anything is awaited.
    const before = this.#running;
    const document = this.#documents.get(uri);
    this.#rest = undefined;
    if (document === undefined || document.ineligible !== undefined) {
      before?.stop('superseded');
      if (document) this.parts.log(`no completion in ${document.fileName}: ${document.ineligible} file`);
      return [];
    }
    const turn = (this.#turn += 1);
    this.#visited(document, offset);
    const context = completionContext(
      { ...document, editorUnit },
      offset,
      this.#seen(document, selected),
      this.#openDelimiters,
    );
    const isAnswered = before?.answers(document, context, request.trigger);
    if (!isAnswered) before?.stop('superseded');
    this.#asked.add(document.languageId);
    const follow = async (answer: RunningAnswer): Promise<void> => {
      await answer.follow(context, request.signal, (texts, kept) => onPart?.(placed(texts, context, kept)));
      if (!request.signal.aborted) return;
      const now = this.#documents.get(uri);
      // Otherwise a newer request follows it, or will, as the person types what it writes.
      const isOver = now === document ? turn === this.#turn : now === undefined || !answer.goesOn(now);
      if (isOver) answer.stop('cancelled');
    };
    const needsPower = request.settings.pauseOnBattery && request.trigger === 'automatic' && !isAnswered;
    // A newer request goes on in its place.
    if (needsPower && ((await this.#lacksPower()) || turn !== this.#turn)) return [];
    if (isAnswered && before) await follow(before);
    if (request.signal.aborted || this.#running !== before) return [];
    const answer = (this.#running = new RunningAnswer(document, context, request.trigger));
    const arrivedAt = performance.now();
    const suggestions = this.parts.models
      .use(async (model) => {
        // The model may have been loaded for long.
        if (model === undefined || answer.signal.aborted || document.ineligible !== undefined) return [];
        return await this.#suggested(
          model,
          document,
          { ...request, context, signal: answer.signal },
          answer,
          arrivedAt,
        );
      })
      .finally(() => answer.end());
    return await Promise.race([
      suggestions,
      follow(answer).then(() => (answer.signal.aborted || !request.signal.aborted ? suggestions : [])),
    ]);
  }

  #eligible(uri: string): DocumentSnapshot | undefined {
    const document = this.#documents.get(uri);
    return document?.ineligible === undefined ? document : undefined;
  }

  /** The cursor is in a document that may enter prompts. */
  #visited(document: DocumentSnapshot, offset: number): void {
    this.#documents.delete(document.uri);
    this.#documents.set(document.uri, document);
    this.#snippets.visited(document, offset);
  }

  /** Whoever goes through a list selects several of its entries, and types nothing in between. */
  #seen(document: DocumentSnapshot, selected: SelectedItem | undefined): SelectedItem | undefined {
    const last = this.#selected?.document === document ? this.#selected.item : undefined;
    const isOther = last !== undefined && last.text !== selected?.text;
    const item = selected && { ...selected, isChosen: isOther || last?.isChosen === true };
    this.#selected = item && { document, item };
    return item;
  }

  /** Before a model is used, so that none is loaded for it. */
  async #lacksPower(): Promise<boolean> {
    this.#pause(!(await this.parts.pluggedIn()));
    return this.#isOnPause;
  }

  #pause(isOnPause: boolean): void {
    this.#isOnPause = isOnPause;
    this.parts.onPause?.(isOnPause);
  }

  async #suggested(
    model: M,
    document: DocumentSnapshot,
    request: InlineRequest,
    watch: Watch,
    arrivedAt: number,
  ): Promise<readonly Suggestion[]> {
    const { context, signal } = request;
    const isAutomatic = request.trigger === 'automatic';
    if (isAutomatic) await this.#prefetch.arrived(document, context.offset, signal);
    // The request that superseded this one may be waiting for the same prefetch.
    if (signal.aborted) return [];
    // A known suggestion needs no engine.
    if (!isAutomatic || model.recent.match(context) === undefined) this.#prefetch.stop();
    const decoder = this.parts.decoder(model, 'inline');
    let pausedMs: number | undefined;
    const settle: SuggestTools['settle'] = async (debounceMs, waiting) => {
      const from = performance.now();
      // Time spent waiting for the model counts.
      await this.parts.settle(debounceMs - (from - arrivedAt), waiting);
      pausedMs = performance.now() - from;
    };
    const answer = () => suggest(request, { ...this.#tools(request, model, decoder), watch, settle });
    const { outcome, texts, keepProbability } = await (isAutomatic
      ? answer()
      : this.parts.models.busy(answer));
    decoder.record(document.fileName, outcome, pausedMs);
    const isCurrent = this.#documents.get(document.uri) === document && !signal.aborted;
    const shown = placed(texts, context, keepProbability);
    if (shown[0] !== undefined && isCurrent) this.#prefetchAfter(shown[0], model, document, request);
    return shown;
  }

  /** Starts the request that will follow once `shown` is accepted. */
  #prefetchAfter(shown: Suggestion, model: M, document: DocumentSnapshot, request: InlineRequest): void {
    const accepted = acceptedDocument(document, request.context, shown);
    const settings = { ...request.settings, debounceMs: 0 };
    this.#prefetch.start(accepted, settings.prefetch, async (signal) => {
      const decoder = this.parts.decoder(model, 'prefetch');
      const next = { context: accepted.context, trigger: 'automatic', settings, signal } as const;
      await suggest(next, this.#tools(next, model, decoder));
      decoder.record(document.fileName);
    });
  }

  #tools({ context, settings }: InlineRequest, model: M, decoder: Decoder): SuggestTools {
    const { recent, promptTokens } = model;
    return {
      decoder,
      recent,
      settle: this.parts.settle,
      promptTokens: promptTokens.of(context.uri, settings.maxPromptTokens, decoder),
      ...(settings.useOpenFiles && {
        snippets: (budget) => this.#snippets.choose(context, [...this.#documents.values()].reverse(), budget),
      }),
    };
  }
}
