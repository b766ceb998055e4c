// textDocument/inlineCompletion: a document and a position in, items out. Never throws and never asks the model
// about a document that must stay out of prompts.
import type { InlineCompletionItem, InlineCompletionParams, TextDocuments } from 'vscode-languageserver/node';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { completionContext, type CompletionContext, type DocumentSnapshot } from '../completion/context';
import { ineligibility } from '../completion/eligibility';
import { acceptedDocument, prefetch } from '../completion/prefetch';
import { RecentEdits } from '../completion/recentEdits';
import type { Settle } from '../completion/settle';
import { SnippetIndex } from '../completion/snippets';
import {
  suggest,
  type SuggestRequest,
  type SuggestResult,
  type Suggestion,
  type SuggestTools,
} from '../completion/suggest';
import type { ServerSettings } from '../protocol';
import { failureLine } from '../inputError';
import type { History } from './history';
import type { LoadedModel } from './loadedModel';
import type { ModelLease } from './modelLease';
import { isPosition, reaches } from './openDocuments';
import { Prefetching } from './prefetching';
import { RecordingDecoder, type DecodeManner } from './recordingDecoder';

interface Parts {
  readonly documents: TextDocuments<TextDocument>;
  readonly host: ModelLease;
  readonly history: History;
  readonly settle: Settle;
  /** Whether the machine does not run on a battery. */
  readonly pluggedIn: () => Promise<boolean>;
  readonly log: (line: string) => void;
}

type InlineRequest = SuggestRequest & { readonly settings: ServerSettings; readonly arrivedAt: number };

export class InlineCompletions {
  readonly #prefetching: Prefetching;
  readonly #edits = new RecentEdits();
  readonly #snippets = new SnippetIndex();
  /** All open documents by last use, newest first. */
  #used: readonly string[] = [];
  /** Languages that something was asked in: typing in others is no sign that anything will be. */
  readonly #asked = new Set<string>();
  #current: AbortController | undefined;

  constructor(private readonly parts: Parts) {
    const { host, pluggedIn, log } = parts;
    this.#prefetching = new Prefetching({ isIdle: () => host.isIdle, pluggedIn, log });
  }

  /** Undefined items mean that there is nothing to show, for whatever reason. */
  async complete(
    params: InlineCompletionParams,
    settings: ServerSettings,
    signal: AbortSignal,
  ): Promise<InlineCompletionItem[] | null> {
    // A client may ask again without cancelling; only the newest question matters.
    this.#current?.abort('superseded');
    const own = (this.#current = new AbortController());
    try {
      return await this.#answer(params, settings, AbortSignal.any([signal, own.signal]));
    } catch (error) {
      this.parts.log(failureLine('completion', error));
      return null;
    }
  }

  opened({ uri }: TextDocument): void {
    this.#used = [uri, ...this.#used.filter((each) => each !== uri)];
  }

  edited(document: TextDocument, offset: number): void {
    const source = snapshot(document);
    if (ineligibility(source) !== undefined) return;
    this.#edits.record(source, offset);
    if (this.#asked.size === 0 || this.#asked.has(source.languageId)) this.parts.host.wake();
  }

  /** Tells of a document as it is now, however that came about. */
  changed(document: TextDocument): void {
    this.#prefetching.changed(snapshot(document));
  }

  /** Something else is asked, or all is different now: gives up what nobody has asked for. */
  stopPrefetch(): void {
    this.#prefetching.stop();
  }

  closed({ uri }: TextDocument): void {
    this.#prefetching.stop();
    this.#edits.forget(uri);
    this.#used = this.#used.filter((each) => each !== uri);
  }

  async #answer(
    { textDocument, position, context }: InlineCompletionParams,
    settings: ServerSettings,
    signal: AbortSignal,
  ): Promise<InlineCompletionItem[] | null> {
    const document = this.parts.documents.get(textDocument.uri);
    if (document === undefined || !isPosition(position)) return null;
    this.opened(document);
    const source = snapshot(document);
    const reason = ineligibility(source);
    if (reason !== undefined) {
      this.parts.log(`no completion in ${source.fileName}: ${reason} file`);
      return null;
    }
    this.#asked.add(source.languageId);
    // All that is about the document comes before the first wait, as it goes on changing.
    const offset = document.offsetAt(position);
    const info = context.selectedCompletionInfo;
    if (info && !reaches(document, info.range, offset)) return null;
    const selected = info && { start: document.offsetAt(info.range.start), text: info.text };
    const range = {
      start: document.positionAt(selected?.start ?? offset),
      end: document.positionAt(offset),
    };
    const request = {
      context: completionContext(source, offset, selected),
      trigger: context.triggerKind === InlineCompletionTriggerKind.Invoked ? 'explicit' : 'automatic',
      settings,
      signal,
      arrivedAt: performance.now(),
    } as const;
    const suggestions = await this.parts.host.use((model) => this.#suggested(model, source, request));
    return suggestions?.map(({ text }) => ({ insertText: text, range })) ?? null;
  }

  /** Undefined when there is nothing to show. */
  async #suggested(
    model: LoadedModel | undefined,
    source: DocumentSnapshot,
    request: InlineRequest,
  ): Promise<readonly Suggestion[] | undefined> {
    const { context, settings, signal } = request;
    if (model === undefined || signal.aborted) return undefined;
    const tools = this.#tools(model, 'inline', context, settings);
    const isAutomatic = request.trigger === 'automatic';
    if (isAutomatic) await this.#prefetching.arrived(source, context.offset, signal);
    // The request that has taken its place may wait for the same prefetch.
    if (signal.aborted) return undefined;
    // What is known already needs no engine.
    if (!isAutomatic || model.recent.match(context) === undefined) this.#prefetching.stop();
    // Who has waited for the model has paused meanwhile.
    const debounceMs = settings.debounceMs - (performance.now() - request.arrivedAt);
    const answer = () => suggest({ ...request, settings: { ...settings, debounceMs } }, tools);
    const { outcome, suggestions } = await (isAutomatic ? answer() : this.parts.host.busy(answer));
    this.#record(source.fileName, tools.decoder, outcome);
    const [first] = suggestions;
    if (first === undefined) return undefined;
    const isCurrent = this.parts.documents.get(source.uri)?.version === source.version;
    if (isCurrent && !signal.aborted) this.#prefetch(model, source, first, settings);
    return suggestions;
  }

  /** Begins with what will be asked once `shown` is accepted. */
  #prefetch(model: LoadedModel, source: DocumentSnapshot, shown: Suggestion, settings: ServerSettings): void {
    const accepted = acceptedDocument(source, shown);
    this.#prefetching.start(accepted, settings.prefetch, async (signal, mayBegin) => {
      const tools = this.#tools(model, 'prefetch', accepted.context, settings);
      await prefetch({ accepted, settings, signal }, { ...tools, mayBegin });
      this.#record(source.fileName, tools.decoder, undefined);
    });
  }

  #tools(
    model: LoadedModel,
    kind: DecodeManner['kind'],
    context: CompletionContext,
    { draftLength, useOpenFiles }: ServerSettings,
  ): SuggestTools & { readonly decoder: RecordingDecoder } {
    const decoder = new RecordingDecoder(model, { kind, draftLength, repetitionGuard: true });
    return {
      decoder,
      related: () => model.lines.encode(`${context.suffix}\n${context.prefix}`, decoder),
      recent: model.recent,
      settle: this.parts.settle,
      ...(useOpenFiles && {
        snippets: (budget: number) => this.#snippets.choose(context, this.#sources(), budget),
      }),
    };
  }

  #sources() {
    const open = this.#used.map((uri) => this.parts.documents.get(uri)).filter((each) => each !== undefined);
    const documents = open.map(snapshot).filter((each) => ineligibility(each) === undefined);
    return { documents, edits: this.#edits.list };
  }

  /** Without an outcome, nothing of it was to be shown. */
  #record(file: string, decoder: RecordingDecoder, outcome: SuggestResult['outcome'] | undefined): void {
    const last = decoder.decodes.findLast(({ isDrawn }) => !isDrawn);
    for (const decode of decoder.decodes) {
      // The one before it was in vain: its output did not go on where the person had stopped.
      const isLast = decode === last;
      const judged = outcome === 'shown' || outcome === 'empty' || outcome === 'filtered';
      const ended = judged && !decode.isDrawn ? (isLast ? outcome : 'filtered') : decode.stats.finishReason;
      const label = { kind: decode.isDrawn ? 'alternative' : decoder.kind, file, outcome: ended } as const;
      this.parts.history.record(label, decode, (token) => decoder.decodeText([token]));
    }
  }
}

export function snapshot(document: TextDocument): DocumentSnapshot {
  const { uri, languageId, version } = document;
  return { uri, fileName: fileNameOf(uri), languageId, version, text: document.getText() };
}

function fileNameOf(uri: string): string {
  const name = /[^/:]*$/.exec(uri)?.[0] ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
