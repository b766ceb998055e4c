// The environment of injected faults: windows that share a server which can be killed, separate caches, and a Hub.
// Asserts the promises that must hold after each fault.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { RepositoryCache, sizeOf } from '../../../server/hub/repositoryCache';
import { isAlive } from '../../../server/machine/isAlive';
import { until } from '../../editor/waiting';
import { closeWindow, SharedWindows } from '../../socket/sharedWindows';
import { sha256, type HubServer } from '../../support/hub/hubServer';
import { servedFolder, SLOW_PAIR, slowPair } from '../../support/hub/slowPair';
import { EditedDocument, type TypingSample } from './editedDocument';
import { PLAN_FILE, type KillPlan } from './killAtPoint';
import { TYPING_SAMPLES } from './typingSamples';
import type { WindowOrder } from './windowProcess';

/** Compiled sources instead of the bundle, so that single modules can be hooked. */
const SERVER = resolve('out/server/programs/main.js');
const LINGER_MS = 500;
/** Time limit for a server to store its measurements. */
const STORE_MS = 30_000;
const SETTINGS = { debounceMs: 0, prefetch: 'never', device: 'cpu', useOpenFiles: false, hideBelow: 0 };

/** Folders in the order of the repositories. */
const SERVED_FOLDERS = ['media/model/target', 'media/model/drafter'];
/** Bytes of each weight file that the Hub sends twenty times a second. */
const BYTES_PER_STEP = 400_000;

export class FaultWorld {
  readonly windows = new SharedWindows(LINGER_MS, SERVER);
  readonly #cache = join(this.windows.root, 'cache');
  readonly #hubCache = join(this.windows.root, 'hub');
  readonly #plan = join(this.windows.root, 'plan.json');
  /** Suggestions of an undisturbed server, by the name of their sample. */
  readonly #suggestions = new Map<string, string | undefined>();

  private constructor(readonly hub: HubServer) {}

  static async create(): Promise<FaultWorld> {
    const world = new FaultWorld(await slowPair(BYTES_PER_STEP));
    await world.#recordSuggestions();
    return world;
  }

  get settings(): object {
    return { ...SETTINGS, hub: { endpoint: this.hub.url, proxy: '' } };
  }

  get environment(): NodeJS.ProcessEnv {
    return {
      FLASHLINE_CACHE: this.#cache,
      HF_HUB_CACHE: this.#hubCache,
      HF_TOKEN_PATH: '/nowhere',
      [PLAN_FILE]: this.#plan,
      NODE_OPTIONS: `--require ${join(__dirname, 'killAtPoint.js')}`,
    };
  }

  async #recordSuggestions(): Promise<void> {
    for (const sample of TYPING_SAMPLES) {
      const document = await this.open();
      await document.typeSample(sample, 1);
      this.#suggestions.set(sample.name, await document.suggestion());
      await this.close(document);
    }
    assert.ok([...this.#suggestions.values()].every(Boolean), 'a sample has no suggestion');
    await this.assertLeftNothing();
  }

  async assertSuggests(document: EditedDocument, { name }: TypingSample, where = ''): Promise<void> {
    assert.equal(await document.suggestion(), this.#suggestions.get(name), `unexpected suggestion${where}`);
  }

  /** Asserts the suggestion of an undisturbed server in another window, which is then closed. */
  async assertSuggestsBeside(document: EditedDocument, sample: TypingSample): Promise<void> {
    await document.typeSample(sample, 1);
    await this.assertSuggests(document, sample, ' in the other window');
    await this.close(document);
  }

  /** Plans a kill of the next server that starts. */
  planKill(plan: KillPlan): void {
    writeFileSync(this.#plan, JSON.stringify(plan));
  }

  /** Returns the order for a window in another process. */
  order(server: WindowOrder['server']): WindowOrder {
    return { server, module: SERVER, args: ['--linger', String(LINGER_MS)], settings: this.settings };
  }

  /** Opens a window for typing; it starts a server if none is running. */
  async open(settings: object = {}): Promise<EditedDocument> {
    const merged = { ...this.settings, ...settings };
    return new EditedDocument(await this.windows.open(merged, this.environment), merged);
  }

  async close({ window }: EditedDocument): Promise<void> {
    await closeWindow(window);
  }

  /** Asserts that no process and no obstacle is left after the last window has closed. */
  async assertLeftNothing(): Promise<void> {
    await until('no server is left', () => this.windows.running().length === 0);
    // The output of a killed server is kept for an hour.
    const left = filesIn(this.windows.folder).filter((file) => !file.endsWith('.log'));
    assert.deepEqual(left, [], 'files are left in the folder of the socket');
    this.assertStored();
  }

  /** Asserts that each file of the cache can be read, even if its writer was killed. */
  assertStored(): void {
    for (const file of filesIn(this.#cache).filter((name) => name.endsWith('.json'))) {
      const text = readFileSync(join(this.#cache, file), 'utf8');
      assert.doesNotThrow(() => JSON.parse(text) as unknown, `${file} is damaged`);
    }
  }

  /** Asserts that the next server stores its measurements, and removes unfinished files of the killed one. */
  async assertStoresAgain(document: EditedDocument): Promise<void> {
    // Files of earlier servers would hide that nothing is stored.
    for (const file of this.#measurements()) rmSync(join(this.#cache, file), { force: true });
    await document.sleep();
    const isUnfinished = (file: string): boolean => {
      const writer = /\.json\.(\d+)$/.exec(file)?.[1];
      return writer !== undefined && !isAlive(Number(writer));
    };
    const isStored = (): boolean =>
      this.#measurements().length > 0 && !filesIn(this.#cache).some(isUnfinished);
    await until('the server has stored measurements and removed unfinished files', isStored, STORE_MS);
  }

  forgetDownload(): void {
    rmSync(this.#hubCache, { recursive: true, force: true });
  }

  /** Bytes of unfinished files of the download. */
  arrivedBytes(): number {
    return this.#partials().reduce((sum, path) => sum + sizeOf(path), 0);
  }

  /** Names of large files that have partly arrived. */
  begunFiles(): string[] {
    const begun = this.#partials().filter((path) => sizeOf(path) > 0);
    const files = SERVED_FOLDERS.flatMap((folder) => Object.entries(servedFolder(folder).files));
    return files
      .filter(([, bytes]) => begun.some((path) => basename(path).startsWith(sha256(bytes))))
      .map(([name]) => name);
  }

  /** Asserts that the download is complete, byte for byte. */
  assertDownloaded(directories: readonly string[]): void {
    for (const [i, folder] of SERVED_FOLDERS.entries()) {
      const directory = directories[i] ?? assert.fail('a folder is missing');
      const { files } = servedFolder(folder);
      assert.deepEqual(readdirSync(directory).sort(), Object.keys(files).sort());
      for (const [name, bytes] of Object.entries(files))
        assert.ok(bytes.equals(readFileSync(join(directory, name))), `${name} is damaged`);
    }
  }

  async remove(): Promise<void> {
    this.windows.remove();
    await this.hub.close();
  }

  /** Names of the files with measurements of pairs. */
  #measurements(): string[] {
    return filesIn(this.#cache).filter((file) => /^profile-.*\.json$/.test(file));
  }

  #partials(): string[] {
    return SLOW_PAIR.repositories.flatMap((name) => {
      const { blobs } = new RepositoryCache(this.#hubCache, name);
      return filesIn(blobs)
        .filter((file) => file.endsWith('.incomplete'))
        .map((file) => join(blobs, file));
    });
  }
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
