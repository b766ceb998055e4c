// The repositories of VS Code's own Git extension, as far as they are used here, and what would be committed in one.
// Files that no prompt may quote are not even read.
import * as vscode from 'vscode';
import type { FileDiff } from '../../server/protocol/messages';
import { LONGEST_TEXT } from '../../server/rules/hiddenFiles';
import type { EditorGate } from '../ghostText/gate';

/** Those of the extension's API. */
export interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  /** Whether it is the one that the Source Control view shows. */
  readonly ui: { readonly selected: boolean };
  readonly state: {
    readonly indexChanges: readonly GitChange[];
    readonly workingTreeChanges: readonly GitChange[];
  };
  status(): Promise<void>;
  /** What is staged of a file. */
  diffIndexWithHEAD(path: string): Promise<string>;
  /** What is staged and what is not. */
  diffWithHEAD(path: string): Promise<string>;
}

interface GitChange {
  readonly uri: vscode.Uri;
  /** Before it was renamed. */
  readonly originalUri: vscode.Uri;
  readonly renameUri: vscode.Uri | undefined;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): {
    readonly repositories: readonly GitRepository[];
    getRepository(uri: vscode.Uri): GitRepository | null;
  };
}

/** Each is a process of Git; of more files, the names are quoted alone. */
const MOST_DIFFS = 50;
/** A prompt has no room for more, in UTF-16 units. */
const LONGEST_DIFF = 20_000;
const MOST_NAMES = 1_000;

/** The one of `sourceControl`, which VS Code gives to what is in its title, or else the selected one. */
export async function gitRepository(sourceControl: unknown): Promise<GitRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const git = await extension?.activate();
  if (!git?.enabled) return undefined;
  const { rootUri } = (sourceControl ?? {}) as { readonly rootUri?: unknown };
  const api = git.getAPI(1);
  if (rootUri instanceof vscode.Uri) return api.getRepository(rootUri) ?? undefined;
  return api.repositories.find(({ ui }) => ui.selected) ?? api.repositories[0];
}

/** What is staged or, if nothing is, what has changed in files that Git knows. */
export async function changesToCommit(
  repository: GitRepository,
  gate: Pick<EditorGate, 'unquotable'>,
  token: vscode.CancellationToken,
): Promise<FileDiff[]> {
  await repository.status();
  const { indexChanges, workingTreeChanges } = repository.state;
  const isStaged = indexChanges.length > 0;
  const all = isStaged ? indexChanges : workingTreeChanges;
  const quotable = all.filter(({ uri, originalUri, renameUri }) =>
    [uri, originalUri, renameUri ?? uri].every((each) => !gate.unquotable(each)),
  );
  const changes: FileDiff[] = [];
  for (const { uri } of quotable.slice(0, MOST_NAMES)) {
    if (token.isCancellationRequested) break;
    const isRead = changes.length < MOST_DIFFS && !(await isLarge(uri));
    const diff = async (): Promise<string> =>
      isStaged ? await repository.diffIndexWithHEAD(uri.fsPath) : await repository.diffWithHEAD(uri.fsPath);
    changes.push({
      path: uri.path.slice(repository.rootUri.path.length + 1),
      diff: isRead ? (await diff()).slice(0, LONGEST_DIFF) : '',
    });
  }
  return changes;
}

/** False for a file that is deleted. */
async function isLarge(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).size > LONGEST_TEXT;
  } catch {
    return false;
  }
}
