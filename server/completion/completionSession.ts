// The completions of one client: its open documents and where they were edited, the one running request, and the
// prefetch after what it shows. Knows neither messages nor engines; models are lent to it for each request.
import type { ServerSettings } from '../rules/serverSettings';
import { completionContext, type DocumentSnapshot, type SelectedItem } from './context';
import type { Decoder } from './decoder';
import { closedBehind } from './filters';
import type { LineTokens } from './lineTokens';
import { acceptedDocument, Prefetch, type PrefetchParts } from './prefetch';
import type { RecentSuggestions } from './recent';
import { Snippets } from './snippets';
import { suggest, type Suggestion, type SuggestRequest, type SuggestResult } from './suggest';

/** For one request. */
export interface SessionDecoder extends Decoder {
  /** Tells the client what its decodes cost, in which file. Has no outcome if nothing was meant to be shown. */
  record(fileName: string, outcome?: SuggestResult['outcome']): void;
}

export interface CompletionModel {
  /** What this model has recently suggested. */
  readonly recent: RecentSuggestions;
  /** Lines of documents as its tokens. */
  readonly lines: LineTokens;
}

/** The models as a client sees them. */
export interface CompletionModels<M extends CompletionModel> {
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

export interface SessionParts<M extends CompletionModel> extends Omit<PrefetchParts, 'isIdle'> {
  readonly models: CompletionModels<M>;
  readonly decoder: (model: M, kind: 'inline' | 'prefetch') => SessionDecoder;
}

type InlineRequest = SuggestRequest & {
  readonly settings: Pick<ServerSettings, 'useOpenFiles' | 'prefetch'>;
};

export interface CompletionRequest extends Omit<InlineRequest, 'context'> {
  readonly uri: string;
  readonly offset: number;
  readonly selected: SelectedItem | undefined;
}

export class CompletionSession<M extends CompletionModel> {
  /** Each at its newest version; the most recently used comes last. */
  readonly #documents = new Map<string, DocumentSnapshot>();
  readonly #snippets = new Snippets();
  readonly #prefetch: Prefetch;
  /** Languages with a request so far: typing in others does not suggest that one will come. */
  readonly #asked = new Set<string>();
  #running: AbortController | undefined;

  constructor(private readonly parts: SessionParts<M>) {
    this.#prefetch = new Prefetch({ ...parts, isIdle: () => parts.models.isIdle });
  }

  document(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** A document was opened or has changed; `editedAt` is where the user typed. */
  changed(document: DocumentSnapshot, editedAt?: number): void {
    const { uri, languageId, ineligible } = document;
    this.#documents.set(uri, document);
    this.#prefetch.changed(document);
    if (ineligible !== undefined) this.#snippets.forget(uri);
    else if (editedAt !== undefined) {
      this.#snippets.edited(document, editedAt);
      if (this.#asked.size === 0 || this.#asked.has(languageId)) this.parts.models.wake(languageId);
    }
  }

  closed(uri: string): void {
    this.#prefetch.stop();
    this.parts.models.forget(uri);
    this.#snippets.forget(uri);
    this.#documents.delete(uri);
  }

  /** Cancels the prefetch because of another request or a change of settings. */
  stopPrefetch(): void {
    this.#prefetch.stop();
  }

  /** Texts to show, the most probable first. Cancels the previous request. Suggests nothing in ineligible files. */
  async complete({
    uri,
    offset,
    selected,
    signal,
    ...asked
  }: CompletionRequest): Promise<readonly Suggestion[]> {
    // A client may ask again without cancelling. This runs before anything is awaited.
    this.#running?.abort('superseded');
    this.#running = new AbortController();
    const document = this.#documents.get(uri);
    if (document === undefined) return [];
    this.#documents.delete(uri);
    this.#documents.set(uri, document);
    if (document.ineligible !== undefined) {
      this.parts.log(`no completion in ${document.fileName}: ${document.ineligible} file`);
      return [];
    }
    this.#asked.add(document.languageId);
    const request = {
      ...asked,
      context: completionContext(document, offset, selected),
      signal: AbortSignal.any([signal, this.#running.signal]),
    };
    const arrivedAt = performance.now();
    return await this.parts.models.use(async (model) => {
      if (model === undefined || request.signal.aborted) return [];
      return await this.#suggested(model, document, request, arrivedAt);
    });
  }

  async #suggested(
    model: M,
    document: DocumentSnapshot,
    request: InlineRequest,
    arrivedAt: number,
  ): Promise<readonly Suggestion[]> {
    const { context, settings, signal } = request;
    const isAutomatic = request.trigger === 'automatic';
    if (isAutomatic) await this.#prefetch.arrived(document, context.offset, signal);
    // The request that superseded this one may be waiting for the same prefetch.
    if (signal.aborted) return [];
    // A known suggestion needs no engine.
    if (!isAutomatic || model.recent.match(context) === undefined) this.#prefetch.stop();
    // Time spent waiting for the model counts as a pause in typing.
    const debounceMs = settings.debounceMs - (performance.now() - arrivedAt);
    const decoder = this.parts.decoder(model, 'inline');
    const answer = () => this.#ask({ ...request, settings: { ...settings, debounceMs } }, model, decoder);
    const { outcome, texts } = await (isAutomatic ? answer() : this.parts.models.busy(answer));
    decoder.record(document.fileName, outcome);
    const isCurrent = this.#documents.get(document.uri) === document && !signal.aborted;
    const shown = texts.map((text) => ({ text, behind: closedBehind(text, context) }));
    if (shown[0] !== undefined && isCurrent) this.#prefetchAfter(shown[0], model, document, request);
    return shown;
  }

  /** Starts the request that will follow once `shown` is accepted. */
  #prefetchAfter(shown: Suggestion, model: M, document: DocumentSnapshot, request: InlineRequest): void {
    const accepted = acceptedDocument(document, request.context, shown);
    const settings = { ...request.settings, debounceMs: 0 };
    this.#prefetch.start(accepted, settings.prefetch, async (signal) => {
      const decoder = this.parts.decoder(model, 'prefetch');
      await this.#ask({ context: accepted.context, trigger: 'automatic', settings, signal }, model, decoder);
      decoder.record(document.fileName);
    });
  }

  #ask(request: InlineRequest, { recent, lines }: M, decoder: Decoder): Promise<SuggestResult> {
    const { context, settings } = request;
    return suggest(request, {
      decoder,
      recent,
      settle: this.parts.settle,
      lines,
      ...(settings.useOpenFiles && {
        snippets: (budget: number) => {
          const newestFirst = [...this.#documents.values()].reverse();
          const eligible = newestFirst.filter(({ ineligible }) => ineligible === undefined);
          return this.#snippets.choose(context, eligible, budget);
        },
      }),
    });
  }
}
