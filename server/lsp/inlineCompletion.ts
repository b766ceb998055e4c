// textDocument/inlineCompletion: a document and a position in, items out. Never throws and never asks the model
// about a document that must stay out of prompts.
import type { InlineCompletionItem, InlineCompletionParams, TextDocuments } from 'vscode-languageserver/node';
import { InlineCompletionTriggerKind } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { completionContext, type DocumentSnapshot } from '../completion/context';
import { ineligibility } from '../completion/eligibility';
import { RecentSuggestions } from '../completion/recent';
import { RecentEdits } from '../completion/recentEdits';
import { settle } from '../completion/settle';
import { SnippetIndex } from '../completion/snippets';
import { suggest, type SuggestResult } from '../completion/suggest';
import type { ServerSettings } from '../protocol';
import { failureLine } from './failureLine';
import type { History } from './history';
import type { ModelHost } from './modelHost';
import { isPosition, reaches } from './openDocuments';
import { RecordingDecoder } from './recordingDecoder';

interface Parts {
  readonly documents: TextDocuments<TextDocument>;
  readonly host: ModelHost;
  readonly history: History;
  readonly log: (line: string) => void;
}

export class InlineCompletions {
  readonly #recent = new RecentSuggestions();
  readonly #edits = new RecentEdits();
  readonly #snippets = new SnippetIndex();
  /** All open documents by last use, newest first. */
  #used: readonly string[] = [];
  #current: AbortController | undefined;

  constructor(private readonly parts: Parts) {}

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
    if (ineligibility(snapshot(document)) === undefined) this.#edits.record(snapshot(document), offset);
  }

  closed({ uri }: TextDocument): void {
    this.#recent.forget(uri);
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
    // All that is about the document comes before the first wait, as it goes on changing.
    const offset = document.offsetAt(position);
    const info = context.selectedCompletionInfo;
    if (info && !reaches(document, info.range, offset)) return null;
    const selected = info && { start: document.offsetAt(info.range.start), text: info.text };
    const range = {
      start: document.positionAt(selected?.start ?? offset),
      end: document.positionAt(offset),
    };
    const model = await this.parts.host.model();
    if (model === undefined || signal.aborted) return null;
    const decoder = new RecordingDecoder(model, { kind: 'inline', draftLength: settings.draftLength });
    const request = {
      context: completionContext(source, offset, selected),
      trigger: context.triggerKind === InlineCompletionTriggerKind.Invoked ? 'explicit' : 'automatic',
      settings,
      signal,
    } as const;
    const snippets = settings.useOpenFiles
      ? (budget: number) => this.#snippets.choose(request.context, this.#sources(), budget)
      : undefined;
    const tools = { decoder, recent: this.#recent, settle, ...(snippets && { snippets }) };
    const result = await suggest(request, tools);
    this.#record(source.fileName, decoder, result);
    const items = result.suggestions.map(({ text }) => ({ insertText: text, range }));
    return items.length > 0 ? items : null;
  }

  #sources() {
    const open = this.#used.map((uri) => this.parts.documents.get(uri)).filter((each) => each !== undefined);
    const documents = open.map(snapshot).filter((each) => ineligibility(each) === undefined);
    return { documents, edits: this.#edits.list };
  }

  #record(file: string, decoder: RecordingDecoder, { outcome }: SuggestResult): void {
    for (const decode of decoder.decodes) {
      // The one before it was in vain: its output did not go on where the person had stopped.
      const isLast = decode === decoder.decodes.at(-1);
      const judged = outcome === 'shown' || outcome === 'empty' || outcome === 'filtered';
      const ended = judged ? (isLast ? outcome : 'filtered') : decode.stats.finishReason;
      const label = { kind: 'inline', file, outcome: ended } as const;
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
