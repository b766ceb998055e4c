// A throw-away VS Code: settings, extensions and a folder to open, all in one temporary place.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

export interface ProfileOptions {
  readonly settings?: Settings;
  /** Of the machine that a remote window works on, where they differ. */
  readonly machineSettings?: Settings;
  /** Files of the folder that is opened, by their path in it. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A folder whose content is copied there first. */
  readonly copyOf?: string;
  /** Of the folder that is opened. */
  readonly name?: string;
}

/** No look-ups on the network, questions, greetings or animations; the editor itself is as people have it. */
const QUIET: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.reduceMotion': 'on',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.menuBarVisibility': 'compact',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'chat.commandCenter.enabled': false,
  'chat.disableAIFeatures': true,
  // Tests wait for the model.
  'flashline.load': 'start',
  'editor.cursorBlinking': 'solid',
};

/** For keys that come without a look: people see an entry of the list that Enter or a bracket would take. */
export const ONLY_TAB_TAKES: Settings = {
  'editor.acceptSuggestionOnCommitCharacter': false,
  'editor.acceptSuggestionOnEnter': 'off',
};

export class Profile {
  /** Short: macOS allows a socket 103 characters, and VS Code puts one in here. */
  readonly root: string;
  readonly user: string;
  readonly extensions: string;
  readonly server: string;
  /** The folder to open. */
  readonly folder: string;

  /** `of` is the profile of a VS Code that runs: it gets new settings and another folder. */
  constructor(
    { settings = {}, machineSettings = {}, files = {}, copyOf, name = 'folder' }: ProfileOptions = {},
    private readonly of?: Profile,
  ) {
    this.root = of?.root ?? mkdtempSync(join(tmpdir(), 'fl-'));
    this.user = this.#folder('user');
    this.extensions = this.#folder('extensions');
    this.server = this.#folder('server');
    this.folder = this.#folder(name);
    for (const [whose, more] of Object.entries({ User: {}, Machine: machineSettings }))
      this.write(join(this.user, whose, 'settings.json'), JSON.stringify({ ...QUIET, ...settings, ...more }));
    if (copyOf !== undefined) cpSync(copyOf, this.folder, { recursive: true });
    for (const [file, content] of Object.entries(files)) this.write(this.file(file), content);
  }

  /** Path of a file in the opened folder. */
  file(name: string): string {
    return join(this.folder, name);
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  remove(): void {
    rmSync(this.of ? this.folder : this.root, {
      recursive: true,
      force: true,
      maxRetries: 10,
      retryDelay: 100,
    });
  }

  #folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }
}
