// VS Code's interface for providers of chat models, final since 1.104: the part of it that is used here, as the types of
// the least version that the extension runs in do not have it.
import * as vscode from 'vscode';

export interface LanguageModelInformation {
  /** Unique in the provider. */
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail?: string;
  readonly tooltip?: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: {
    readonly imageInput: boolean;
    /** At most so many tools, or none. */
    readonly toolCalling: number | false;
  };
}

export interface LanguageModelMessage {
  readonly role: vscode.LanguageModelChatMessageRole;
  readonly content: readonly unknown[];
}

export interface LanguageModelProvider extends vscode.Disposable {
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;
  provideLanguageModelChatInformation(
    options: { readonly silent: boolean },
    token: vscode.CancellationToken,
  ): Promise<LanguageModelInformation[]>;
  provideLanguageModelChatResponse(
    model: LanguageModelInformation,
    messages: readonly LanguageModelMessage[],
    options: Pick<vscode.LanguageModelChatRequestOptions, 'toolMode'> & {
      readonly tools?: readonly vscode.LanguageModelChatTool[];
    },
    progress: vscode.Progress<vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart>,
    token: vscode.CancellationToken,
  ): Promise<void>;
  provideTokenCount(
    model: LanguageModelInformation,
    text: string | LanguageModelMessage,
    token: vscode.CancellationToken,
  ): Promise<number>;
}

/** Does nothing in a VS Code without that interface. */
export function registerProvider(vendor: string, provider: LanguageModelProvider): vscode.Disposable {
  const { lm } = vscode as { readonly lm: unknown } as { readonly lm: Partial<ProviderRegistry> };
  return lm.registerLanguageModelChatProvider?.(vendor, provider) ?? vscode.Disposable.from();
}

interface ProviderRegistry {
  registerLanguageModelChatProvider(vendor: string, provider: LanguageModelProvider): vscode.Disposable;
}
