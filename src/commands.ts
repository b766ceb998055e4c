// Registers the commands of the manifest; one without a handler does not compile.
// A test holds the list against package.json.
import * as vscode from 'vscode';
import type { CommandId } from './commandIds';

export type CommandHandlers = Readonly<Record<CommandId, (...values: unknown[]) => unknown>>;

export function registerCommands(handlers: CommandHandlers): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(handlers).map(([id, handler]) => vscode.commands.registerCommand(id, handler)),
  );
}
