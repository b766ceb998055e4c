// Handles the messages of next edits: the request textDocument/copilotInlineEdit, as in copilot-language-server, and
// the messages that an edit is visible or was rejected.
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentSnapshot } from '../completion/prompt/context';
import type { PowerPolicy } from '../completion/session/powerPolicy';
import type { Suggestion } from '../completion/session/suggestionRequest';
import type { History } from '../hosting/history';
import type { Model } from '../hosting/model';
import type { Lease } from '../hosting/lease';
import type { ModelPool } from '../hosting/modelPool';
import { NextEditLease } from '../hosting/nextEditLease';
import { RecordingDecoder } from '../hosting/recordingDecoder';
import { isSamePair } from '../hosting/pairName';
import { DEFAULT_SETTINGS } from '../hosting/settings';
import { knownFormat } from '../nextEdit/knownFormats';
import { NextEditSession, type EditModel, type NextEdit } from '../nextEdit/nextEditSession';
import type { ClientSettings } from '../protocol/messages';
import {
  NextEditCommand,
  NextEditTrigger,
  type DidShowParams,
  type ExecuteCommandParams,
  type InlineEdit,
  type InlineEditParams,
  type InlineEditResult,
  type NextEditStatus,
} from '../protocol/nextEditMessages';
import type { EditFormat } from '../nextEdit/editFormat';
import { GhostTextPriority } from './ghostTextPriority';
import { offsetOf } from './positions';

interface NextEditParts {
  readonly pool: ModelPool;
  /** Lease of the model of suggestions. */
  readonly lease: Lease;
  readonly history: History;
  readonly power: PowerPolicy;
  readonly log: (line: string) => void;
  /** Called when `status` can have changed. */
  readonly onStatus: () => void;
}

const NONE: InlineEditResult = { edits: [] };
const ON_BATTERY = 'Next edits are paused while this computer runs on battery.';

export class NextEditRequests {
  readonly ghostText = new GhostTextPriority();
  readonly #lease: NextEditLease;
  readonly #session: NextEditSession;
  #settings = DEFAULT_SETTINGS;

  constructor(private readonly parts: NextEditParts) {
    const { pool, lease, log, onStatus } = parts;
    this.#lease = new NextEditLease(pool, lease, onStatus, log);
    this.#session = new NextEditSession({
      use: (uri, work) => this.#lease.use((model) => work(model && this.#editModel(uri, model))),
      quiet: (signal) => this.ghostText.quiet(signal),
      log,
    });
  }

  /** Applies new settings. */
  configure(settings: ClientSettings): void {
    const { nextEditModel } = settings;
    const isSameModel =
      nextEditModel === this.#settings.nextEditModel && isSamePair(settings, this.#settings);
    if (!isSameModel) this.#session.forgetAnswers();
    this.#settings = settings;
    if (!this.#isOn) this.#session.end();
    this.#lease.configure(settings);
    this.parts.onStatus();
  }

  /** Records that a document was opened or changed, unless next edits are off. */
  changed(document: DocumentSnapshot): void {
    if (this.#isOn) this.#session.changed(document);
  }

  /** Records ghost text that is offered in a document, unless next edits are off. */
  offered(uri: string, suggestions: readonly Suggestion[]): void {
    if (this.#isOn)
      this.#session.offered(
        uri,
        suggestions.map(({ text }) => text),
      );
  }

  closed(uri: string): void {
    this.#session.closed(uri);
  }

  /** Answers a request for the next edit, with no edits if there is none. `document` is that of the request, if open. */
  async answer(
    { textDocument: { uri, version }, position, context }: InlineEditParams,
    document: TextDocument | undefined,
    signal: AbortSignal,
  ): Promise<InlineEditResult> {
    if (!this.#isOn || document?.version !== version) return NONE;
    const cursor = document.positionAt(offsetOf(document, position));
    const trigger = context?.triggerKind === NextEditTrigger.invoked ? 'explicit' : 'automatic';
    if (trigger === 'automatic' && (await this.parts.power.pauses())) return NONE;
    // The text can have changed while the power supply was checked.
    if (document.version !== version) return NONE;
    const { useOpenFiles } = this.#settings;
    const found = await this.#session.nextEdit({ uri, cursor, trigger, useOpenFiles, signal });
    return found ? { edits: [inlineEdit(found, { uri, version })] } : NONE;
  }

  /** Handles the message that an edit is visible: begins to compute the edit after it. */
  shown({ item }: DidShowParams, signal: AbortSignal): void {
    const [id] = item.command.arguments;
    void this.#prefetchAfter(id, signal);
  }

  /**
   * Computes the edit after a visible one, if the settings allow prefetching and the model is not remote.
   * Never rejects.
   */
  async #prefetchAfter(id: string, signal: AbortSignal): Promise<void> {
    const isAllowed = await this.parts.power.mayPrefetch();
    const { useOpenFiles } = this.#settings;
    const isRemote = this.#lease.model?.engine.remote !== undefined;
    if (isAllowed && !isRemote) await this.#session.shown(id, { useOpenFiles, signal });
  }

  /** Records a rejected edit, and ignores other commands. An accepted edit shows in the text of the document. */
  execute({ command, arguments: [id] = [] }: ExecuteCommandParams): null {
    if (command === NextEditCommand.reject && id !== undefined) this.#session.rejected(id);
    return null;
  }

  /** Status of next edits; undefined while the setting is off. */
  get status(): NextEditStatus | undefined {
    if (!this.#isOn) return undefined;
    const { model, separateStatus } = this.#lease;
    if (this.parts.power.isPaused) return { state: 'paused', message: ON_BATTERY };
    if (model && formatOf(model) === undefined) return { state: 'noFormat', ...withoutFormat(model) };
    if (model) return { state: 'ready', model: model.info.target };
    if (separateStatus === undefined) return { state: 'ready' };
    const { nextEditModel: name } = this.#settings;
    const { state, message } = separateStatus;
    if (state === 'error')
      return { state: 'missing', model: name, ...(message !== undefined && { message }) };
    return { state: state === 'loading' ? 'loading' : 'ready', model: name };
  }

  /** Ends all requests. */
  end(): void {
    this.#session.end();
  }

  async dispose(): Promise<void> {
    await this.#lease.dispose();
  }

  get #isOn(): boolean {
    return this.#settings.nextEdit !== 'off';
  }

  /** Returns the model with its prompt format for one request; undefined without a format or a tokenizer. */
  #editModel(uri: string, model: Model): EditModel | undefined {
    const format = formatOf(model);
    if (format === undefined || model.engine.tokenizer === undefined) return undefined;
    const { draftLength, maxPromptTokens } = this.#settings;
    const mode = { kind: 'nextEdit', draftLength, repetitionGuard: true } as const;
    const decoder = new RecordingDecoder(model, mode, this.parts.history);
    const promptTokens = model.promptTokens.of(uri, maxPromptTokens, decoder);
    return { format, decoder, promptTokens };
  }
}

function formatOf({ engine, info }: Model): EditFormat | undefined {
  // For a remote engine without the tokenizer of its model, prompts are text.
  const takesText = engine.remote !== undefined && engine.tokenizer?.directory === undefined;
  return knownFormat(info.target, engine.tokenizer, takesText);
}

function withoutFormat({ info: { target } }: Model) {
  const name = target === 'embedded' ? 'The built-in model' : target;
  const message = `${name} was not trained to suggest edits. Choose a model for next edits, such as Sweep Next Edit.`;
  return { model: target, message };
}

function inlineEdit({ id, edit }: NextEdit, textDocument: InlineEdit['textDocument']): InlineEdit {
  return {
    text: edit.newText,
    textDocument,
    range: edit.range,
    command: { title: 'Accept next edit', command: NextEditCommand.accept, arguments: [id] },
  };
}
