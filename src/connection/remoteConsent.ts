// Manages consent to a remote engine: it is used only if the user's own settings name it, the workspace is trusted and
// the user has agreed to its host; an engine that Flashline starts on this machine needs no such agreement. The server
// does not get the address of an engine that is not allowed yet. Also stores the host's API key.
import * as vscode from 'vscode';
import type { ClientSettings } from '../../server/protocol/messages';
import { remoteAddress, isProgram, type RemoteAddress } from '../../server/rules/remoteAddress';
import { NO_REMOTE } from '../../server/rules/serverSettings';
import type { Configuration } from '../configuration';

const STORAGE_KEY = 'flashline.remoteConsents';

export class RemoteConsent implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listeners: readonly vscode.Disposable[];
  /** Origins whose consent was declined or revoked; only a command asks again. */
  readonly #declined = new Set<string>();
  /** Open questions for consent, by origin. */
  readonly #questions = new Map<string, Promise<boolean>>();
  /** API key, with the origin in the settings when it was read. */
  #key: { readonly origin: string; readonly key: string } | undefined;
  /** Number of the latest reading of the key: an older one can end after it. */
  #reading = 0;

  /** Fires when the settings for the server can have changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly configuration: Configuration,
    private readonly state: vscode.Memento,
    private readonly secrets: vscode.SecretStorage,
  ) {
    this.#listeners = [
      this.#changed,
      secrets.onDidChange(() => void this.update()),
      // Another window can have revoked the consent.
      vscode.window.onDidChangeWindowState(() => void this.update()),
    ];
  }

  /** Settings for the server, without the remote engine until it is allowed. */
  get settings(): ClientSettings {
    const { server } = this.configuration.settings;
    if (!this.#isAllowed) return { ...server, remote: NO_REMOTE };
    const isKeyOfAddress = this.#key?.origin === this.#address?.origin;
    return { ...server, ...(isKeyOfAddress && this.#key && { remoteKey: this.#key.key }) };
  }

  /** Reads the API key again, and reports that the settings can have changed. */
  async update(): Promise<void> {
    const address = this.#address;
    const reading = (this.#reading += 1);
    const key = address && (await this.secrets.get(keyName(address)));
    if (reading !== this.#reading) return;
    this.#key = address && key !== undefined ? { origin: address.origin, key } : undefined;
    this.#changed.fire();
  }

  /** Asks for consent if it is missing, unless the workspace is not trusted or the user said no in this window. */
  async offer(): Promise<void> {
    const address = this.#address;
    if (address === undefined || this.#isAllowed || !vscode.workspace.isTrusted) return;
    if (!this.#declined.has(address.origin)) await this.ask();
  }

  /** Asks for consent; without an address, shows the setting. */
  async ask(): Promise<void> {
    const address = this.#address;
    if (address === undefined) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'flashline.remote');
      return;
    }
    await this.#consentTo(address);
    await this.update();
  }

  /** Puts the engine at `url`, an address or a program, into the settings. An address requires the user's consent. */
  async use(url: string, model: string): Promise<void> {
    const address = remoteAddress(url);
    if (address === undefined ? isProgram(url) : await this.#consentTo(address))
      await this.configuration.setRemote(url, model);
  }

  /** Returns whether the user agrees; asks only if there is no stored consent, and no open question. */
  async #consentTo(address: RemoteAddress): Promise<boolean> {
    const { origin } = address;
    if (this.#consents.includes(origin)) return true;
    const question =
      this.#questions.get(origin) ??
      this.#askForConsent(address).finally(() => this.#questions.delete(origin));
    this.#questions.set(origin, question);
    return await question;
  }

  async #askForConsent(address: RemoteAddress): Promise<boolean> {
    const allow = 'Allow';
    const question = `Send parts of your files to ${address.host}?`;
    const options = { modal: true, detail: consentDetail(address) };
    const isAllowed = (await vscode.window.showWarningMessage(question, options, allow)) === allow;
    // Read again: other windows can have stored consents in the meantime.
    if (isAllowed) await this.state.update(STORAGE_KEY, [...new Set([...this.#consents, address.origin])]);
    else this.#declined.add(address.origin);
    return isAllowed;
  }

  /** Offers actions for the engine in the settings; without one, shows the setting. */
  async choose(): Promise<void> {
    const address = this.#address;
    if (address === undefined && !this.#isProgram) return await this.ask();
    const stop = { label: 'Stop using the remote engine', run: () => this.revoke() };
    const settings = {
      label: 'Open settings',
      run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'flashline.remote'),
    };
    // A program that Flashline starts has no host to agree to, and a random key.
    const items = address
      ? [
          this.#isAllowed ? stop : { label: `Use ${address.host}...`, run: () => this.ask() },
          { label: `API key for ${address.host}...`, run: () => this.askKey() },
          settings,
        ]
      : [stop, settings];
    const picked = await vscode.window.showQuickPick(items, { title: 'Flashline: remote engine' });
    await picked?.run();
  }

  /** Revokes all consents. A program started here needs none, so it is removed from the settings instead. */
  async revoke(): Promise<void> {
    if (this.#isProgram) return await this.configuration.setRemote('', '');
    for (const origin of this.#consents) this.#declined.add(origin);
    await this.state.update(STORAGE_KEY, undefined);
    await this.update();
  }

  /** Asks for the API key of the host in the settings. */
  async askKey(): Promise<void> {
    const address = this.#address;
    if (address === undefined) return await this.ask();
    const key = await vscode.window.showInputBox({
      title: 'Flashline: remote API key',
      prompt: `API key for ${address.host}. Leave empty to remove the stored one.`,
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return;
    if (key.trim() === '') await this.secrets.delete(keyName(address));
    else await this.secrets.store(keyName(address), key.trim());
    await this.update();
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
  }

  get #address(): RemoteAddress | undefined {
    return remoteAddress(this.configuration.settings.server.remote.url);
  }

  get #consents(): readonly string[] {
    const stored = this.state.get<unknown>(STORAGE_KEY);
    return Array.isArray(stored) ? stored.filter((origin) => typeof origin === 'string') : [];
  }

  /** Whether the setting names a program, a llama-server that Flashline starts: then text stays on this machine. */
  get #isProgram(): boolean {
    return isProgram(this.configuration.settings.server.remote.url);
  }

  get #isAllowed(): boolean {
    if (!vscode.workspace.isTrusted) return false;
    if (this.#isProgram) return true;
    return this.#address !== undefined && this.#consents.includes(this.#address.origin);
  }
}

/** Returns the secret's name. A key belongs to one origin: another port or an unencrypted connection never gets it. */
function keyName({ origin }: RemoteAddress): string {
  return `flashline.remoteKey ${origin}`;
}

/** Returns the paragraphs below the question for consent. */
function consentDetail({ isEncrypted, isLoopback }: RemoteAddress): string {
  const lines = [
    'It becomes the remote engine (flashline.remote.url). For each suggestion it gets the text around the cursor and, unless flashline.useOpenFiles is off, pieces of other files. Files that may contain secrets and those that you excluded stay out.',
    ...(isLoopback
      ? ['The address is on this machine, but a tunnel may lead from it to another one.']
      : isEncrypted
        ? []
        : ['The connection is not encrypted: others on the network can read the text and the API key.']),
    'To take this back, run "Flashline: Remote Engine...".',
  ];
  return lines.join('\n\n');
}
