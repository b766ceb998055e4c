// A temporary profile of VS Code: settings, extensions and a folder to open.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

export interface ProfileOptions {
  readonly settings?: Settings;
  /** Settings of the remote machine, if they differ. */
  readonly machineSettings?: Settings;
  /** Files of the opened folder, by path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Folder whose content is copied into the opened folder first. */
  readonly copyOf?: string;
  /** Name of the opened folder. */
  readonly name?: string;
}

/** Settings without look-ups on the network, questions, greetings or animations; the editor has its defaults. */
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

/** Settings for simulated typing, which ignores the IntelliSense list: only Tab accepts its entries. */
export const ONLY_TAB_TAKES: Settings = {
  'editor.acceptSuggestionOnCommitCharacter': false,
  'editor.acceptSuggestionOnEnter': 'off',
};

export class Profile {
  /** Short: macOS limits the path of a socket to 103 characters, and VS Code creates one in here. */
  readonly root: string;
  /** Folders for user data, installed extensions and data of VS Code's server. */
  readonly user: string;
  readonly extensions: string;
  readonly server: string;
  /** Folder to open. */
  readonly folder: string;

  /** `running` is the profile of a running VS Code, which gets new settings and another folder. */
  constructor(
    { settings = {}, machineSettings = {}, files = {}, copyOf, name = 'folder' }: ProfileOptions = {},
    private readonly running?: Profile,
  ) {
    this.root = running?.root ?? mkdtempSync(join(tmpdir(), 'fl-'));
    this.user = this.#folder('user');
    this.extensions = this.#folder('extensions');
    this.server = this.#folder('server');
    this.folder = this.#folder(name);
    for (const [scope, overrides] of Object.entries({ User: {}, Machine: machineSettings })) {
      const text = JSON.stringify({ ...QUIET, ...settings, ...overrides });
      this.write(join(this.user, scope, 'settings.json'), text);
    }
    if (copyOf !== undefined) cpSync(copyOf, this.folder, { recursive: true });
    for (const [file, content] of Object.entries(files)) this.write(this.file(file), content);
  }

  /** Returns the path of a file in the opened folder. */
  file(name: string): string {
    return join(this.folder, name);
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Removes the opened folder, and the whole profile unless a running VS Code uses it. */
  remove(): void {
    rmSync(this.running ? this.folder : this.root, {
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
