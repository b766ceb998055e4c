// `flashline lsp`: the language server over standard input and output, for any LSP 3.18 client.
import { parseArguments } from './arguments';

export const LSP_HELP = `flashline lsp [--stdio]

Speaks the Language Server Protocol 3.18 on standard input and output: textDocument/inlineCompletion and the
flashline/* messages. Settings come as initializationOptions. Ends with its client.`;

/** Marks, here and below, say which part of a start has just ended; `npm run bench:start` reads them. */
export async function lsp(args: string[]): Promise<void> {
  parseArguments({ args, options: { stdio: { type: 'boolean' } } });
  const { createConnection, ProposedFeatures } = await import('vscode-languageserver/node');
  const { languageServer } = await import('../languageServer');
  languageServer(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
  performance.mark('modules');
}
