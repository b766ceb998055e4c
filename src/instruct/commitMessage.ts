// The command that writes a commit message: takes what is staged in a repository, and streams the message into the box
// of the Source Control view. What the person has written there is how it begins; what they write meanwhile ends it.
import * as vscode from 'vscode';
import {
  Method,
  type CommitMessageParams,
  type GenerateDelta,
  type GenerateResult,
} from '../../server/protocol/messages';
import type { MayInstruct } from './baseModel';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../ghostText/gate';
import type { GenerationRun } from './generationRun';
import { changesToCommit, gitRepository, type GitRepository } from './gitRepository';
import { t } from '../translate';

interface CommitMessageParts {
  readonly client: Pick<FlashlineClient, 'stream'>;
  readonly gate: Pick<EditorGate, 'unquotable'>;
  readonly run: GenerationRun;
  readonly mayInstruct: MayInstruct;
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
    if (!vscode.workspace.isTrusted) return inform(t('This workspace is not trusted.'));
    const repository = await gitRepository(sourceControl);
    if (repository === undefined)
      return inform(t('Flashline found no Git repository. It must run on the machine that has the files.'));
    if (!run.isFree() || !(await mayInstruct('commit'))) return;
    const words = {
      title: t('Flashline: writing a commit message'),
      failed: (reason: string) => t('Flashline could not write a commit message: {0}', reason),
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
      return inform(t('Flashline found no changes that it may read. Stage what you want to commit.'));
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
      if (text === '' && finishReason !== 'cancelled') inform(t('Flashline: the model had nothing to add.'));
      // For a server whose last part comes late.
      const written = message.slice(begun.length);
      if (text.startsWith(written) && text !== written) write(text.slice(written.length));
    } catch (error) {
      if (!source.token.isCancellationRequested) throw error;
    }
    if (source.token.isCancellationRequested)
      vscode.window.setStatusBarMessage(t('Flashline: cancelled; the text so far is kept'), MESSAGE_MS);
  }
}

function inform(words: string): void {
  void vscode.window.showInformationMessage(words);
}
