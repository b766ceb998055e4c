// The request flashline/commitMessage: takes what changes in files, streams a message back. Its parameters are checked
// here, and files that may not enter prompts are left out, whatever the client thinks of them.
import { writeCommitMessage } from '../completion/instruct/writeCommitMessage';
import type { Ineligibility } from '../completion/prompt/context';
import { documentSnapshot, mayEnterPrompts } from '../completion/prompt/eligibility';
import {
  Method,
  type CommitMessageParams,
  type FileDiff,
  type GenerateResult,
  type ServerSettings,
} from '../protocol/messages';
import { LONGEST_TEXT } from '../rules/hiddenFiles';
import { paramsOf } from './messageSchemas';
import { refused } from './requestSignal';
import { streamGenerated, type GenerationParts } from './streamGenerated';

/** A longer one leaves no room for the changes. */
const LONGEST_BEGINNING = 2_000;
/** Longer ones say what is in the code, and no more why. */
const MOST_TOKENS = 200;
/** The name that Git has for it. */
const FILE = 'COMMIT_EDITMSG';

/** Resolves with what was written, even when cancelled. Rejects only for a request that cannot run. */
export async function commitMessageRequest(
  parts: GenerationParts,
  params: unknown,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const { changes, begun = '', partialResultToken } = parseCommitMessageParams(params);
  const quotable = changes.flatMap((change) => quotablePart(change) ?? []);
  if (quotable.length === 0)
    throw refused('Expected changes of files that may be used in prompts, got none; send others');
  const maxTokens = Math.min(MOST_TOKENS, settings.maxGenerateTokens);
  const asked = { file: FILE, settings, signal, stream: partialResultToken };
  return await streamGenerated(parts, asked, (decoder) =>
    writeCommitMessage({ changes: quotable, begun, maxTokens, signal }, decoder),
  );
}

/** Throws a ResponseError for parameters that the client must correct. */
function parseCommitMessageParams(value: unknown): CommitMessageParams {
  const params = paramsOf(Method.commitMessage, value);
  const { changes, begun = '' } = params;
  const length = changes.reduce((sum, { path, diff }) => sum + path.length + diff.length, 0);
  if (length > LONGEST_TEXT)
    throw refused(
      `Expected changes of at most ${String(LONGEST_TEXT)} characters, got ${String(length)}; shorten them`,
    );
  if (begun.length > LONGEST_BEGINNING)
    throw refused(
      `Expected the beginning of a message, of at most ${String(LONGEST_BEGINNING)} characters, ` +
        `got ${String(begun.length)}; shorten it`,
    );
  return params;
}

/** Nothing of a secret file, and the name alone of one that is no text or was not written by hand. */
function quotablePart({ path, diff }: FileDiff): FileDiff | undefined {
  const name = unquoted(path);
  const parts = diff.split(diff.includes('diff --git ') ? /^(?=diff --git )/m : /^(?=--- .*\n\+\+\+ )/m);
  const judged = parts.map((part) => ({ part, ineligible: ineligibleDiff(name, part) }));
  const shown = judged.filter(({ ineligible }) => ineligible !== 'secret');
  if (shown.length === 0) return undefined;
  const isText = shown.every(({ ineligible }) => ineligible === undefined);
  return { path, diff: isText ? shown.map(({ part }) => part).join('') : '' };
}

/** Of one file, which goes by its old and its new name, and by its text as far as the diff has it. */
function ineligibleDiff(path: string, diff: string): Ineligibility | undefined {
  const text = diff.replace(/^[^]*?^@@.*\n/m, '').replace(/^[-+ ]/gm, '');
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  const { ineligible } = documentSnapshot({ uri: path, fileName, languageId: '', version: 0, text });
  // A hunk may name the key that it is in.
  const isSecret = !mayEnterPrompts('', diff) || namesIn(diff).some((name) => !mayEnterPrompts(name, ''));
  return isSecret ? 'secret' : ineligible;
}

/** In the lines of a diff that name files, as they stand there and without quotes. */
function namesIn(diff: string): readonly string[] {
  const lines = diff.matchAll(
    /^(?:diff --git |rename (?:from|to) |copy (?:from|to) |Index: |Binary files |--- (?=.*\n\+\+\+ )|\+\+\+ )(.*)$/gm,
  );
  return [...lines].flatMap(([, names = '']) => [
    names.replace(/\t.*/, ''),
    ...[...names.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([name]) => unquoted(name)),
  ]);
}

/** Git writes names with unusual characters in quotes, with the bytes of these as octal numbers. */
function unquoted(name: string): string {
  if (!/^".*"$/s.test(name)) return name;
  const bytes = name
    .slice(1, -1)
    .replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)))
    .replace(/\\(.)/g, '$1');
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
