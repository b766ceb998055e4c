// A document in an editor: keeps the typed text whether or not a server is running, and sends it to the next server.
import { Method } from '../../../server/protocol/messages';
import type { DownloadOutcome } from '../../../server/protocol/modelCatalogue';
import { until } from '../../editor/waiting';
import type { SharedWindow } from '../../socket/sharedWindows';

/** A file, and the texts before and after the cursor in it. */
export interface TypingSample {
  readonly name: string;
  readonly languageId: string;
  readonly before: string;
  readonly after: string;
}

/** Minutes until the model is unloaded: so few that it happens immediately. */
const ALMOST_NO_MINUTES = 0.0001;

let opened = 0;

export class EditedDocument {
  /** Name and current text. */
  #content: TypingSample = { name: '', languageId: '', before: '', after: '' };
  #uri = '';
  #version = 1;

  constructor(
    readonly window: SharedWindow,
    private readonly settings: object,
  ) {}

  get text(): string {
    return this.#content.before + this.#content.after;
  }

  get isLost(): boolean {
    return this.window.socket.destroyed;
  }

  /**
   * Opens a sample without the last `characters + late` characters before its cursor, and types the first `characters`
   * of those.
   */
  async typeSample(sample: TypingSample, characters: number, late = 0): Promise<void> {
    const { name, languageId, before, after } = sample;
    const typedFrom = before.length - characters - late;
    this.#content = { ...sample, before: before.slice(0, typedFrom) };
    this.#version = 1;
    // The name of a file is part of the prompt.
    opened += 1;
    const file = `${String(opened)}/${name}`;
    const marked = `${this.#content.before}║${after}`;
    ({ uri: this.#uri } = await this.window.client.open(file, marked, languageId));
    for (const character of before.slice(typedFrom, before.length - late)) await this.write(character);
  }

  /** Writes into the document, whatever happens to the server. */
  async write(text: string): Promise<void> {
    const start = this.#position();
    this.#content = { ...this.#content, before: this.#content.before + text };
    this.#version += 1;
    await this.#send(() =>
      this.window.client.change(this.#uri, this.#version, [{ range: { start, end: start }, text }]),
    );
  }

  /** Resolves with a suggestion, undefined without one; rejects when the server is lost. */
  suggestion(): Promise<string | undefined> {
    const { client } = this.window;
    return this.#untilLost(
      client.text({ uri: this.#uri, position: this.#position(), offset: this.#content.before.length }),
    );
  }

  /** Writes generated code at the cursor. */
  async generate(instruction: string, onDelta: () => void): Promise<void> {
    const at = this.#content.before.length;
    const request = { uri: this.#uri, instruction, start: at, end: at };
    const writing: Promise<void>[] = [];
    const onText = (text: string): void => {
      writing.push(this.write(text));
      onDelta();
    };
    await this.#untilLost(this.window.client.generate(request, { onDelta: onText }));
    await Promise.all(writing);
  }

  download(repositories: readonly string[]): Promise<DownloadOutcome> {
    const { connection } = this.window.client;
    return this.#untilLost(
      connection.sendRequest<DownloadOutcome>(Method.download, { repositories, force: true }),
    );
  }

  /** Takes over the text of a document whose server is lost. */
  async takeOver(lost: EditedDocument): Promise<void> {
    await this.typeSample(lost.#content, 0);
  }

  /** Unloads the model, which stores its measurements. Also resolves when the server is lost. */
  async sleep(): Promise<void> {
    const { client } = this.window;
    const earlierCount = client.statuses.length;
    await this.#send(() => client.settings({ ...this.settings, unloadAfterMinutes: ALMOST_NO_MINUTES }));
    const isAsleep = (): boolean =>
      client.statuses.slice(earlierCount).some(({ state }) => state === 'asleep');
    await until('the model is asleep', () => this.isLost || isAsleep());
  }

  /** Sends a message; ignores the failure if the server is lost. */
  async #send(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (!this.isLost) throw error;
    }
  }

  /** Waits for an answer; rejects once the server is lost, since the library leaves such requests pending. */
  #untilLost<T>(answer: Promise<T>): Promise<T> {
    const { socket } = this.window;
    return new Promise((resolve, reject) => {
      const rejectLost = (): void => reject(new Error('The server ended before it answered.'));
      if (socket.destroyed) rejectLost();
      socket.once('close', rejectLost);
      answer.then(resolve, reject).finally(() => socket.off('close', rejectLost));
    });
  }

  #position() {
    const lines = this.#content.before.split('\n');
    return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  }
}
