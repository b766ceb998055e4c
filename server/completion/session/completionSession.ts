// Completes code for one client: at most one answer runs at a time, and one prefetch prepares the next. A decode
// reports partial results to the RunningAnswer, which passes them to each request that it serves. The session borrows a
// model for each request; it depends neither on the protocol of messages nor on an engine.
import type { ServerSettings } from '../../rules/serverSettings';
import type { Decoder } from '../decoder';
import {
  completionContext,
  type CompletionContext,
  type DocumentSnapshot,
  type SelectedItem,
} from '../prompt/context';
import type { RelatedCode } from '../prompt/definitions';
import { whyIneligible } from '../prompt/eligibility';
import type { PromptTokens } from '../prompt/promptTokens';
import { OpenDelimiters } from '../syntax/openDelimiters';
import { ListSelection } from './listSelection';
import type { PowerPolicy } from './powerPolicy';
import { acceptedCursor, Prefetch } from './prefetch';
import { prefill } from './promptRequest';
import type { RecentSuggestions } from './recent';
import { RunningAnswer } from './runningAnswer';
import { SessionDocuments } from './sessionDocuments';
import { suggest } from './suggest';
import { toSuggestions } from './suggestions';
import type { Settle } from './settle';
import type { Suggestion, SuggestionRequest, SuggestResult, SuggestionResources } from './suggestionRequest';

/** A decoder for one request. */
export interface SessionDecoder extends Decoder {
  /** Whether prompts leave the machine. */
  readonly isRemote?: boolean;
  /**
   * Records the cost of the request's decodes for the statistics. `outcome` is undefined for a prefetch, which shows
   * nothing; `pausedMs` is the time spent waiting for a pause in typing.
   */
  record(fileName: string, outcome?: SuggestResult['outcome'], pausedMs?: number): void;
}

/** The model's state that outlives a request. */
interface CompletionModel {
  /** Recent suggestions of this model. */
  readonly recent: RecentSuggestions;
  /** Maximum lengths of its prompts. */
  readonly promptTokens: PromptTokens;
}

/** One client's access to models. */
interface CompletionModels<M extends CompletionModel> {
  /** Loads the model if necessary, and runs `work` with it; with undefined if the load fails. */
  use<T>(work: (model: M | undefined) => Promise<T>): Promise<T>;
  /** Shows the model as busy during `work`, even between its decodes. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** Prepares for a likely request: the user types in this language. */
  wake(languageId: string): void;
  /** Forgets recent suggestions in a document. */
  forget(uri: string): void;
  /** The model, if it is loaded. */
  readonly model: M | undefined;
  /** Whether a model is loaded and no request waits for it. */
  readonly isIdle: boolean;
}

interface SessionParts<M extends CompletionModel> {
  readonly models: CompletionModels<M>;
  /** Returns a decoder for one request of this kind. */
  readonly decoder: (model: M, kind: 'inline' | 'prefetch') => SessionDecoder;
  readonly settle: Settle;
  readonly power: PowerPolicy;
  readonly log: (line: string) => void;
  /** Milliseconds after which the complete words of an unfinished first line are shown. */
  readonly lateMs: number;
}

/** A cursor at which a client requests suggestions. */
export interface RequestedCursor {
  readonly uri: string;
  readonly offset: number;
  readonly selected: SelectedItem | undefined;
  /** One level of indentation in the editor's settings. */
  readonly editorUnit?: string | undefined;
  readonly trigger: SuggestionRequest['trigger'];
}

/** A client's request for suggestions at a cursor. */
export interface CursorRequest extends RequestedCursor {
  readonly settings: ServerSettings;
  readonly signal: AbortSignal;
  /** Called with partial results; each replaces the last. */
  readonly onPart?: ((suggestions: readonly Suggestion[]) => void) | undefined;
}

/** A request with its document and the text around its cursor, as they were when it arrived. */
interface ResolvedRequest {
  readonly request: CursorRequest;
  readonly document: DocumentSnapshot;
  readonly context: CompletionContext;
  /** Number of the request; a newer one supersedes it. */
  readonly turn: number;
}

/** A cursor that the user has moved without typing; the next edit is likely to be there. */
export interface RestingCursor {
  readonly uri: string;
  readonly offset: number;
  readonly settings: ServerSettings;
}

export class CompletionSession<M extends CompletionModel> {
  readonly #documents = new SessionDocuments();
  readonly #openDelimiters = new OpenDelimiters();
  readonly #selection = new ListSelection();
  readonly #prefetch: Prefetch;
  /** Languages of earlier requests. An edit in another language makes no request likely. */
  readonly #requestedLanguages = new Set<string>();
  #restingCursor: RestingCursor | undefined;
  #running: RunningAnswer | undefined;
  /** Number of the newest request. */
  #turn = 0;

  constructor(private readonly parts: SessionParts<M>) {
    const { models } = parts;
    this.#prefetch = new Prefetch({ ...parts, isIdle: () => models.isIdle });
  }

  /** Returns the newest version of an open document. */
  document(uri: string): DocumentSnapshot | undefined {
    return this.#documents.get(uri);
  }

  /** Records a document that was opened or has changed; `editedAt` is the offset at which the user typed. */
  changed(document: DocumentSnapshot, editedAt?: number): void {
    const { languageId } = document;
    this.#restingCursor = undefined;
    const isEligible = this.#documents.changed(document, editedAt);
    this.#prefetch.changed(document);
    if (!isEligible || editedAt === undefined || this.parts.power.isPaused) return;
    const isLikely = this.#requestedLanguages.size === 0 || this.#requestedLanguages.has(languageId);
    if (isLikely) this.parts.models.wake(languageId);
  }

  /** Forgets a document that was closed, and its suggestions. Stops its answer, which can outlive its request. */
  closed(uri: string): void {
    this.#prefetch.closed(uri);
    if (this.#running?.uri === uri) this.#running.stop('cancelled');
    this.parts.models.forget(uri);
    this.#documents.closed(uri);
  }

  /** Stops quoting a deleted file, or the files of a deleted folder. */
  deleted(uri: string): void {
    this.#documents.deleted(uri);
  }

  /** Stops quoting files that are no longer open. */
  forgetClosed(): void {
    this.#documents.forgetClosed();
  }

  /** Records the definitions and notebook cells that prompts for an open document can quote. */
  define(uri: string, related: RelatedCode): void {
    if (this.#documents.eligible(uri) === undefined) return;
    this.#documents.define(uri, related);
    const cursor = this.#restingCursor;
    if (cursor?.uri !== uri) return;
    this.#prefetch.stop();
    this.rested(cursor);
  }

  /** Prefills the prompt for a resting cursor while the model is idle. Loads no model. */
  rested(cursor: RestingCursor): void {
    const { uri, offset, settings } = cursor;
    const document = this.#documents.eligible(uri);
    if (document === undefined) return;
    this.#restingCursor = cursor;
    this.#documents.visited(document, offset);
    if (!this.parts.models.isIdle) return;
    const context = completionContext(document, offset);
    this.#prefetch.start({ document, start: offset, context }, settings, (signal) =>
      this.#prefill(document, context, settings, signal),
    );
  }

  /** Stops all work: the client has disconnected. */
  end(): void {
    this.stopPrefetch();
    this.#running?.stop('cancelled');
  }

  /** Stops the prefetch: another request needs the model. */
  stopPrefetch(): void {
    this.#prefetch.stop();
  }

  /**
   * Returns texts to show, the most probable first; none in ineligible documents. If the user has typed what the
   * running answer writes, the request joins that answer; otherwise it supersedes it. A client need not cancel a
   * request before it sends the next one.
   */
  async complete(request: CursorRequest): Promise<readonly Suggestion[]> {
    // Nothing is awaited before the request has its number, so requests are numbered in the order in which they arrive.
    const running = this.#running;
    const resolved = this.#resolve(request);
    if (resolved === undefined) {
      running?.stop('superseded');
      return [];
    }
    const { document, context } = resolved;
    // While VS Code waits for suggestions, it holds back its IntelliSense list, and loading can take minutes.
    const isLoaded = this.parts.models.model !== undefined;
    if (!isLoaded && request.trigger === 'automatic') request.onPart?.([]);
    if (running?.canServe(document, context, request.trigger)) {
      await this.#passPartsOn(running, resolved);
    } else {
      running?.stop('superseded');
      // Checked before a model is used, so that none is loaded in vain.
      if (request.trigger === 'automatic' && (await this.parts.power.pauses())) return [];
    }
    if (request.signal.aborted || this.#isSuperseded(resolved)) return [];
    // After a joined answer, this finds the rest of its text among the recent suggestions.
    return await this.#answer(resolved);
  }

  /**
   * Numbers the request, and finds its document. Returns undefined if the document is unknown, or ineligible, which it
   * logs.
   */
  #resolve(request: CursorRequest): ResolvedRequest | undefined {
    const { uri, offset, editorUnit } = request;
    this.#restingCursor = undefined;
    const turn = (this.#turn += 1);
    const document = this.#documents.get(uri);
    if (document === undefined) return undefined;
    const ineligible = whyIneligible(document);
    if (ineligible !== undefined) {
      this.parts.log(`no completion in ${document.fileName}: ${ineligible} file`);
      return undefined;
    }
    this.#documents.visited(document, offset);
    this.#requestedLanguages.add(document.languageId);
    const selected = this.#selection.update(document, request.selected);
    const options = { selected, editorUnit, openDelimiters: this.#openDelimiters };
    const context = completionContext(document, offset, options);
    return { request, document, context, turn };
  }

  /** Returns whether a newer request has arrived. */
  #isSuperseded({ turn }: ResolvedRequest): boolean {
    return turn !== this.#turn;
  }

  /**
   * Passes the parts of an answer on to the request until the answer ends or the request is cancelled. Stops an answer
   * that no request needs any more.
   */
  async #passPartsOn(answer: RunningAnswer, resolved: ResolvedRequest): Promise<void> {
    const { request, context } = resolved;
    await answer.passPartsOn(context, request.signal, (texts, keepProbability) =>
      request.onPart?.(toSuggestions(texts, context, keepProbability)),
    );
    if (request.signal.aborted && !this.#isStillNeeded(answer, resolved)) answer.stop('cancelled');
  }

  /**
   * Returns whether to leave an answer running although its request was cancelled. If the document is unchanged, it
   * stops unless there is a newer request: that has joined the answer, or has already stopped it. If the document has
   * changed, it continues if the user has typed its beginning, since a request for its rest will arrive.
   */
  #isStillNeeded(answer: RunningAnswer, resolved: ResolvedRequest): boolean {
    const { document } = resolved;
    const newest = this.#documents.get(document.uri);
    if (newest === document) return this.#isSuperseded(resolved);
    return newest !== undefined && answer.isTypedIn(newest);
  }

  /** Starts an answer and returns its suggestions; none if the request is cancelled while the answer goes on. */
  async #answer(resolved: ResolvedRequest): Promise<readonly Suggestion[]> {
    const { request, document, context } = resolved;
    const answer = new RunningAnswer(document, context, request.trigger);
    this.#running = answer;
    const arrivedAt = performance.now();
    const suggestions = this.parts.models
      .use((model) => this.#suggest(model, resolved, answer, arrivedAt))
      .finally(() => {
        answer.end();
      });
    // Without a handler, a failure after this request was cancelled would end the process.
    suggestions.catch(() => undefined);
    await this.#passPartsOn(answer, resolved);
    return request.signal.aborted && !answer.isStopped ? [] : await suggestions;
  }

  /** Computes suggestions with a borrowed model, and starts the prefetch for when the first one is accepted. */
  async #suggest(
    model: M | undefined,
    resolved: ResolvedRequest,
    answer: RunningAnswer,
    arrivedAt: number,
  ): Promise<readonly Suggestion[]> {
    const { request, document, context } = resolved;
    const { trigger, settings } = request;
    const { signal } = answer;
    // Loading the model can take long enough for all of this to change.
    if (model === undefined || signal.aborted || whyIneligible(document) !== undefined) return [];
    const isAutomatic = trigger === 'automatic';
    if (isAutomatic) await this.#prefetch.waitFor(document, context.offset, signal);
    // Leave the prefetch running: the request that superseded this one can be waiting for it.
    if (signal.aborted) return [];
    // A recent suggestion answers without the model, so the prefetch can go on.
    if (!isAutomatic || model.recent.match(context) === undefined) this.#prefetch.stop();
    const decoder = this.parts.decoder(model, 'inline');
    let pausedMs: number | undefined;
    const settle: Settle = async (debounceMs, settleSignal) => {
      const from = performance.now();
      // The time since the request arrived, spent on loading the model for example, counts as part of the pause.
      await this.parts.settle(debounceMs - (from - arrivedAt), settleSignal);
      pausedMs = performance.now() - from;
    };
    const isLate = (): boolean => performance.now() - arrivedAt >= this.parts.lateMs;
    const resources = {
      ...this.#resources(model, decoder, context, settings),
      listener: answer,
      settle,
      isLate,
    };
    const work = () => suggest({ context, trigger, settings, signal }, resources);
    const { outcome, texts, keepProbability } = await (isAutomatic ? work() : this.parts.models.busy(work));
    decoder.record(document.fileName, outcome, pausedMs);
    const suggestions = toSuggestions(texts, context, keepProbability);
    const [first] = suggestions;
    const isCurrent = this.#documents.get(document.uri) === document && !signal.aborted;
    if (first && isCurrent) this.#prefetchAfter(first, model, resolved);
    return suggestions;
  }

  /** Starts the request that will follow once `shown` is accepted. */
  #prefetchAfter(shown: Suggestion, model: M, { request, document, context }: ResolvedRequest): void {
    const accepted = acceptedCursor(document, context, shown, request.editorUnit);
    const settings = { ...request.settings, debounceMs: 0 };
    this.#prefetch.start(accepted, settings, async (signal) => {
      const decoder = this.parts.decoder(model, 'prefetch');
      const next = { context: accepted.context, trigger: 'automatic', settings, signal } as const;
      await suggest(next, this.#resources(model, decoder, accepted.context, settings));
      decoder.record(document.fileName);
    });
  }

  /**
   * Prefills the prompt for a later request at the same cursor. Skips remote servers, so that moving the cursor sends
   * them no text.
   */
  async #prefill(
    document: DocumentSnapshot,
    context: CompletionContext,
    settings: ServerSettings,
    signal: AbortSignal,
  ): Promise<void> {
    await this.parts.models.use(async (model) => {
      if (model === undefined || signal.aborted) return;
      const decoder = this.parts.decoder(model, 'prefetch');
      if (decoder.isRemote) return;
      const request = { context, trigger: 'automatic', settings, signal } as const;
      await prefill(request, this.#resources(model, decoder, context, settings));
      decoder.record(document.fileName);
    });
  }

  /** Returns the model and the state for one request. */
  #resources(
    { recent, promptTokens }: M,
    decoder: Decoder,
    context: CompletionContext,
    { maxPromptTokens, useOpenFiles }: ServerSettings,
  ): SuggestionResources {
    return {
      decoder,
      recent,
      settle: this.parts.settle,
      promptTokens: promptTokens.of(context.uri, maxPromptTokens, decoder),
      ...(useOpenFiles && { snippets: (budget) => this.#documents.snippets(context, budget) }),
    };
  }
}
