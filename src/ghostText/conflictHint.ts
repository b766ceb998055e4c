// The conflict hint: says once, in a quiet moment, that another extension also shows ghost text and would compete with
// Flashline for the Tab key, and offers ways out.
import * as vscode from 'vscode';
import { enabledLanguages, isEnabled } from '../../server/rules/enabledLanguages';
import { t } from '../translate';

/** Ids in lower case; the list does not know whether their completions are switched on. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'github.copilot': 'GitHub Copilot',
  'github.copilot-chat': 'GitHub Copilot',
  'continue.continue': 'Continue',
  'codeium.codeium': 'Windsurf (Codeium)',
  'tabnine.tabnine-vscode': 'Tabnine',
  'supermaven.supermaven': 'Supermaven',
  'ggml-org.llama-vscode': 'llama.vscode',
  'tabbyml.vscode-tabby': 'Tabby',
  'rjmacarthy.twinny': 'Twinny',
  'sourcegraph.cody-ai': 'Cody',
  'huggingface.huggingface-vscode': 'llm-vscode',
  'ex3ndr.llama-coder': 'Llama Coder',
  'amazonwebservices.amazon-q-vscode': 'Amazon Q',
  'google.geminicodeassist': 'Gemini Code Assist',
  'visualstudioexptteam.vscodeintellicode-completions': 'IntelliCode Completions',
  'blackboxapp.blackbox': 'Blackbox',
  'aminer.codegeex': 'CodeGeeX',
  'kilocode.kilo-code': 'Kilo Code',
  'augment.vscode-augment': 'Augment',
};

type InstalledExtension = Pick<vscode.Extension<unknown>, 'id' | 'isActive' | 'packageJSON'>;

const STORED = 'flashline.conflictsShown';
const LOOK_AFTER_MS = 8000;
const QUIET_MS = 10_000;

/** Looks once VS Code has settled, and whenever extensions come or go. */
export function hintAtConflicts(memory: vscode.Memento): vscode.Disposable {
  let lastKey = Date.now();
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const shown = memory.get<readonly string[]>(STORED, []);
    const other = otherProvider(vscode.extensions.all, shown, await usesCopilot());
    if (other === undefined) return;
    // Never while the user types.
    if (Date.now() - lastKey < QUIET_MS) return schedule();
    void memory.update(STORED, [...shown, other.name]);
    void tell(other);
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), LOOK_AFTER_MS);
  };
  schedule();
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    vscode.workspace.onDidChangeTextDocument(() => (lastKey = Date.now())),
    vscode.extensions.onDidChange(schedule),
  );
}

/**
 * The first active one whose name has not been shown. For what is part of VS Code itself, being active says nothing: that
 * counts only if `isBuiltinUsed`.
 */
export function otherProvider(
  extensions: readonly InstalledExtension[],
  shown: readonly string[],
  isBuiltinUsed: boolean,
) {
  for (const { id, isActive, packageJSON } of extensions) {
    const name = PROVIDERS[id.toLowerCase()];
    const isBuiltin = (packageJSON as { isBuiltin?: unknown }).isBuiltin === true;
    const isUsed = isActive && (!isBuiltin || isBuiltinUsed);
    if (name !== undefined && isUsed && !shown.includes(name)) return { id, name };
  }
  return undefined;
}

/** Whether the Copilot that is part of VS Code suggests anything: if it is on, and somebody has signed in. */
export async function usesCopilot(): Promise<boolean> {
  const configuration = vscode.workspace.getConfiguration();
  if (configuration.get('chat.disableAIFeatures') === true) return false;
  if (!isEnabled(enabledLanguages(configuration.get('github.copilot.enable')))) return false;
  try {
    return (await vscode.authentication.getAccounts('github')).length > 0;
  } catch {
    return false; // There is nobody to ask.
  }
}

async function tell({ id, name }: { readonly id: string; readonly name: string }): Promise<void> {
  const onRequest = t('Flashline Only on Demand');
  const show = t('Show {0}', name);
  const message = t('{0} also shows inline suggestions. With both on, Tab may accept either one.', name);
  const answer = await vscode.window.showInformationMessage(message, onRequest, show, t('Keep Both'));
  if (answer === onRequest)
    await vscode.workspace
      .getConfiguration('flashline')
      .update('trigger', 'manual', vscode.ConfigurationTarget.Global);
  else if (answer === show) await vscode.commands.executeCommand('workbench.extensions.search', `@id:${id}`);
}
