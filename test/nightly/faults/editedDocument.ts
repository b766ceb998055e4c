// A document in an editor: keeps the typed text whether or not a server is running, and sends it to the next server.
import { Method } from '../../../server/protocol/messages';
import type { DownloadOutcome } from '../../../server/protocol/modelCatalogue';
import { until } from '../../editor/waiting';
import type { SharedWindow } from '../../socket/sharedWindows';

export interface KnownPlace {
  readonly name: string;
  readonly languageId: string;
  readonly before: string;
  readonly after: string;
}

/** Minutes until the model is unloaded; practically at once. */
const NO_TIME = 0.0001;

let opened = 0;

export class EditedDocument {
  /** Current text and name. */
  #place: KnownPlace = { name: '', languageId: '', before: '', after: '' };
  #uri = '';
  #version = 1;

  constructor(
    readonly window: SharedWindow,
    private readonly settings: object,
  ) {}

  get text(): string {
    return this.#place.before + this.#place.after;
  }

  get isLost(): boolean {
    return this.window.socket.destroyed;
  }

  /** Opens a place without its last `characters + late` characters, then types them except for the last `late`. */
  async typeAt(place: KnownPlace, characters: number, late = 0): Promise<void> {
    const { name, languageId, before, after } = place;
    const there = before.length - characters - late;
    this.#place = { ...place, before: before.slice(0, there) };
    this.#version = 1;
    // The name of a file is part of the prompt.
    const file = `${String((opened += 1))}/${name}`;
    const marked = `${this.#place.before}║${after}`;
    ({ uri: this.#uri } = await this.window.client.open(file, marked, languageId));
    for (const character of before.slice(there, before.length - late)) await this.write(character);
  }

  /** Writes into the document, whatever happens to the server. */
  async write(text: string): Promise<void> {
    const start = this.#position();
    this.#place = { ...this.#place, before: this.#place.before + text };
    this.#version += 1;
    await this.#send(() =>
      this.window.client.change(this.#uri, this.#version, [{ range: { start, end: start }, text }]),
    );
  }

  /** Resolves with a suggestion, undefined without one; rejects when the server is lost. */
  suggestion(): Promise<string | undefined> {
    const { client } = this.window;
    return this.#untilLost(
      client.text({ uri: this.#uri, position: this.#position(), offset: this.#place.before.length }),
    );
  }

  /** Writes generated code at the cursor. */
  async generate(instruction: string, onDelta: () => void): Promise<void> {
    const at = this.#place.before.length;
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
    await this.typeAt(lost.#place, 0);
  }

  /** Unloads the model, which stores its measurements. Also resolves when the server is lost. */
  async sleep(): Promise<void> {
    const { client } = this.window;
    const earlierCount = client.statuses.length;
    await this.#send(() => client.settings({ ...this.settings, unloadAfterMinutes: NO_TIME }));
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
      const lost = (): void => reject(new Error('The server ended before it answered.'));
      if (socket.destroyed) lost();
      socket.once('close', lost);
      answer.then(resolve, reject).finally(() => socket.off('close', lost));
    });
  }

  #position() {
    const lines = this.#place.before.split('\n');
    return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  }
}
