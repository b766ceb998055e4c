// Says once, in a quiet moment, that another extension shows ghost text too, and offers ways out.
// Which extensions these are is otherProviders.ts.
import * as vscode from 'vscode';
import { otherProviders, type OtherProvider } from './otherProviders';

const STORED = 'flashline.conflictsShown';
const LOOK_AFTER_MS = 8000;
const QUIET_MS = 10_000;

export class ConflictHint implements vscode.Disposable {
  #lastKey = Date.now();
  #timer: NodeJS.Timeout;
  readonly #listeners = [
    vscode.workspace.onDidChangeTextDocument(() => {
      this.#lastKey = Date.now();
    }),
    vscode.extensions.onDidChange(() => {
      this.#schedule();
    }),
  ];

  constructor(private readonly memory: vscode.Memento) {
    this.#timer = this.#schedule();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.dispose();
  }

  #schedule(): NodeJS.Timeout {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look();
    }, LOOK_AFTER_MS);
    return this.#timer;
  }

  #look(): void {
    const shown = this.memory.get<readonly string[]>(STORED, []);
    const other = otherProviders(
      vscode.extensions.all.map(({ id, isActive, packageJSON }) => ({
        id,
        isActive,
        isBuiltin: (packageJSON as { isBuiltin?: unknown }).isBuiltin === true,
      })),
    ).find(({ name }) => !shown.includes(name));
    if (other === undefined) return;
    // Never while the person types.
    if (Date.now() - this.#lastKey < QUIET_MS) return void this.#schedule();
    void this.memory.update(STORED, [...shown, other.name]);
    void tell(other);
  }
}

async function tell({ id, name }: OtherProvider): Promise<void> {
  const t = vscode.l10n.t;
  const onRequest = t('Flashline on request only');
  const manage = t('Show {0}', name);
  const answer = await vscode.window.showInformationMessage(
    t('{0} shows inline suggestions too. With both, Tab may accept either one.', name),
    onRequest,
    manage,
    t('Keep both'),
  );
  if (answer === onRequest)
    await vscode.workspace
      .getConfiguration('flashline')
      .update('trigger', 'manual', vscode.ConfigurationTarget.Global);
  if (answer === manage) await vscode.commands.executeCommand('workbench.extensions.search', `@id:${id}`);
}
