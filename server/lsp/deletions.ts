// Follows deletions of files, by the editor or by other programs, so that prompts no longer quote deleted files.
import {
  DidChangeWatchedFilesNotification,
  FileChangeType,
  WatchKind,
  type ClientCapabilities,
  type Connection,
} from 'vscode-languageserver/node';

/** Calls `onDeleted` with the URI of each file or folder that the client reports as deleted. */
export function followDeletions(connection: Connection, onDeleted: (uri: string) => void): void {
  connection.workspace.onDidDeleteFiles(({ files }) => {
    for (const { uri } of files) onDeleted(uri);
  });
  connection.onDidChangeWatchedFiles(({ changes }) => {
    for (const { uri, type } of changes) if (type === FileChangeType.Deleted) onDeleted(uri);
  });
}

/** Returns whether a client can be asked to watch files. */
export function canWatchFiles({ workspace }: ClientCapabilities): boolean {
  return workspace?.didChangeWatchedFiles?.dynamicRegistration === true;
}

/** Asks the client to report files that other programs delete. */
export async function watchDeletions(connection: Connection): Promise<void> {
  const watchers = [{ globPattern: '**/*', kind: WatchKind.Delete }];
  await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
}
