// The command that writes a commit message: takes what is staged in a repository, and streams the message into the box
// of the Source Control view. What the person has written there is how it begins; what they write meanwhile ends it.
import * as vscode from 'vscode';
import {
  Method,
  type CommitMessageParams,
  type GenerateDelta,
  type GenerateResult,
  type FileDiff,
} from '../../server/protocol/messages';
import type { InstructParts } from './baseModel';
import type { EditorGate } from '../ghostText/gate';
import { LONGEST_TEXT } from '../../server/rules/secretFiles';

interface CommitMessageParts extends Pick<InstructParts, 'client' | 'run' | 'mayInstruct'> {
  readonly gate: Pick<EditorGate, 'unquotable'>;
}

interface Written {
  readonly begun: string;
  readonly message: string;
}

const MESSAGE_MS = 5000;

export class CommitMessage {
  /** The last one of each repository: asked again, another one takes its place. */
  readonly #written = new Map<string, Written>();

  constructor(private readonly parts: CommitMessageParts) {}

  /** `sourceControl` says in which repository. */
  async write(sourceControl?: unknown): Promise<void> {
    const { run, mayInstruct } = this.parts;
    if (!vscode.workspace.isTrusted) return inform('This workspace is not trusted.');
    const repository = await gitRepository(sourceControl);
    if (repository === undefined)
      return inform('Flashline found no Git repository. It must run on the machine that has the files.');
    if (!run.isFree() || !(await mayInstruct('commit'))) return;
    const words = {
      title: 'Flashline: writing a commit message',
      failed: (reason: string) => `Flashline could not write a commit message: ${reason}`,
    };
    await run.run(words, (source, report) => this.#stream(repository, source, report));
  }

  async #stream(
    repository: GitRepository,
    source: vscode.CancellationTokenSource,
    report: (characters: number) => void,
  ): Promise<void> {
    const changes = await changesToCommit(repository, this.parts.gate, source.token);
    if (source.token.isCancellationRequested) return;
    if (changes.length === 0)
      return inform('Flashline found no changes that it may read. Stage what you want to commit.');
    const { inputBox, rootUri } = repository;
    const last = this.#written.get(rootUri.toString());
    let shown = inputBox.value;
    const begun = last?.message === shown ? last.begun : shown;
    let message = begun;
    const write = (text: string): void => {
      // Somebody writes there.
      if (inputBox.value !== shown) return void source.cancel();
      inputBox.value = shown = message += text;
      this.#written.set(rootUri.toString(), { begun, message });
    };
    const params: CommitMessageParams = { changes, begun };
    try {
      const { text, finishReason } = await this.parts.client.stream<GenerateResult, GenerateDelta>(
        Method.commitMessage,
        params,
        (part) => {
          write(part.text);
          report(message.length - begun.length);
        },
        source.token,
      );
      if (text === '' && finishReason !== 'cancelled') inform('Flashline: the model had nothing to add.');
    } finally {
      if (source.token.isCancellationRequested)
        vscode.window.setStatusBarMessage('Flashline: cancelled; the text so far is kept', MESSAGE_MS);
    }
  }
}

function inform(words: string): void {
  void vscode.window.showInformationMessage(words);
}

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
async function gitRepository(sourceControl: unknown): Promise<GitRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const git = await extension?.activate();
  if (!git?.enabled) return undefined;
  const { rootUri } = (sourceControl ?? {}) as { readonly rootUri?: unknown };
  const api = git.getAPI(1);
  if (rootUri instanceof vscode.Uri) return api.getRepository(rootUri) ?? undefined;
  return api.repositories.find(({ ui }) => ui.selected) ?? api.repositories[0];
}

/** What is staged or, if nothing is, what has changed in files that Git knows. */
async function changesToCommit(
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
