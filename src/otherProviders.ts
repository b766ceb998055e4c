// Extensions that also show ghost text, and with which Flashline would compete for the Tab key.
// Ids in lower case; the list knows names, not whether their completions are switched on.

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

export interface OtherProvider {
  readonly id: string;
  readonly name: string;
}

export interface InstalledExtension {
  readonly id: string;
  readonly isActive: boolean;
  /** Part of VS Code itself, where being active says nothing about being used. */
  readonly isBuiltin: boolean;
}

/** The active ones, each product once. */
export function otherProviders(extensions: readonly InstalledExtension[]): OtherProvider[] {
  const found = new Map<string, OtherProvider>();
  for (const { id, isActive, isBuiltin } of extensions) {
    const name = PROVIDERS[id.toLowerCase()];
    if (name !== undefined && isActive && !isBuiltin && !found.has(name)) found.set(name, { id, name });
  }
  return [...found.values()];
}
