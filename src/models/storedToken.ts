// The user's Hugging Face token, in the secret storage of VS Code.
import * as vscode from 'vscode';

const KEY = 'flashline.hubToken';

/** The token leaves the storage only in requests to the server, which does not store it. It is never logged. */
export class StoredToken {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** Returns the field of a request that carries the token. */
  async forRequest(): Promise<{ readonly token?: string }> {
    const token = await this.secrets.get(KEY);
    return token === undefined ? {} : { token };
  }

  /** Asks for a token; returns whether it was changed or removed. */
  async ask(): Promise<boolean> {
    const token = await vscode.window.showInputBox({
      title: 'Flashline: Hugging Face token',
      prompt:
        'Access token for models whose licence you accepted on Hugging Face. Leave empty to remove the stored one.',
      placeHolder: 'hf_...',
      password: true,
      ignoreFocusOut: true,
    });
    if (token === undefined) return false;
    if (token.trim() === '') await this.secrets.delete(KEY);
    else await this.secrets.store(KEY, token.trim());
    return true;
  }
}
