// Eligibility: which documents may enter a prompt at all. No secrets, no binary or generated files, nothing too large.
// The extension filters first; this check holds for every client.
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  isBinaryName,
  isBroken,
  isMinifiedName,
  LONGEST_LINE,
  LONGEST_MEAN_LINE,
  LONGEST_TEXT,
  MOST_ODD,
  isSecretPath,
  isMiddleOfKey,
  isSecretText,
  secretSigns,
  type SecretSigns,
} from '../../rules/secretFiles';
import { pathsBehind } from '../../rules/pathsBehind';
import type { DocumentSnapshot, Ineligibility } from './context';

/** Characters at the start that are checked for what is no text, or not written by hand. */
const SAMPLE = 65_536;

type Unchecked = Omit<DocumentSnapshot, 'ineligible' | 'ineligibleText'>;

/** What is counted in the text of a document, for its next version. */
const counted = new WeakMap<DocumentSnapshot, TextCounts>();

/**
 * A document at one version. Its text is checked once, after an edit only the lines that it touched, and where its file
 * is each time that `ineligible` is read, as links change while it is open. Whoever builds a prompt reads it there; what
 * is no document goes through here, too.
 */
export function documentSnapshot(document: Unchecked, edit?: TextEdit): DocumentSnapshot {
  const { uri, fileName, text } = document;
  const known = edit && counted.get(edit.before);
  const counts =
    known && edit
      ? editedCounts(text, known, edit)
      : countsOf(text.slice(0, isLarge(text) ? SAMPLE : undefined));
  const ineligibleText = isSecretPath(fileName) ? 'secret' : ineligibility(document, counts);
  const snapshot = {
    ...document,
    ineligibleText,
    get ineligible() {
      return hasSecretPath(uri) ? 'secret' : ineligibleText;
    },
  };
  if (!isLarge(text)) counted.set(snapshot, counts);
  return snapshot;
}

/**
 * The same for text of a file that is known by a name or a path, or for a part of it, which may be one of a key; only
 * secrets count, as a person has chosen it.
 */
export function mayEnterPrompts(name: string, text: string): boolean {
  return !hasSecretPath(name) && !isSecretText('', text) && !isMiddleOfKey(text);
}

function ineligibility(
  { fileName, languageId, text }: Unchecked,
  { signs, oddLines, longLines }: TextCounts,
): Ineligibility | undefined {
  if (isSecretText(languageId, text, signs)) return 'secret';
  if (isLarge(text)) return 'large';
  if (isBinaryName(fileName) || (oddLines > 0 && isBinary(text.slice(0, SAMPLE)))) return 'binary';
  if (isMinifiedName(fileName)) return 'minified';
  return longLines > 0 && isMinified(text.slice(0, SAMPLE)) ? 'minified' : undefined;
}

/** Whether the name of a file is one of a secret, or the name of what links lead to now. `uri` may be a path. */
export function hasSecretPath(uri: string): boolean {
  return isSecretPath(uri) || filesOf(uri).some(leadsToSecret);
}

/** A link to what is gone, such as a file renamed since, may stand for any: the text that an editor has came from there. */
function leadsToSecret(file: string): boolean {
  const paths = pathsBehind(file);
  return paths.some(isSecretPath) || (paths.length > 1 && !existsSync(file));
}

/** Files of this machine: of a URI, with and without what some clients do not encode, or of a whole path. */
function filesOf(uri: string): readonly string[] {
  const [, scheme, path] =
    /^(file|vscode-notebook-cell):(?:\/\/(?:localhost)?(?=\/))?(\/(?!\/).*)$/is.exec(uri) ?? [];
  if (scheme === undefined || path === undefined)
    return isAbsolute(uri) && !/^[\\/]{2}/.test(uri) ? [uri] : [];
  const ends = /[?#]/.test(path) ? [path, path.replace(/[?#].*$/s, '')] : [path];
  return ends.map((each) => decoded(each).replace(/^\/(?=[a-z]:)/i, ''));
}

/** Returns the text unchanged if it was not encoded. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isLarge({ length }: string): boolean {
  return length > LONGEST_TEXT;
}

function isBinary(sample: string): boolean {
  if (sample.includes('\0')) return true;
  // eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
  const { length = 0 } = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g) ?? {};
  return (length > MOST_ODD && length / sample.length > 0.02) || isBroken(sample);
}

function isMinified(sample: string): boolean {
  const lines = sample.split('\n');
  return (
    lines.some((line) => line.length > LONGEST_LINE) ||
    (sample.length > LONGEST_LINE && sample.length / lines.length > LONGEST_MEAN_LINE)
  );
}

// What is counted in a text to decide whether it may enter prompts. Each number is a sum over lines, so that a key costs
// the lines that it touched and not the file.

export interface TextCounts {
  readonly signs: SecretSigns;
  /** Lines with characters that are rare in text, see isBinary; without any, it is not binary. */
  readonly oddLines: number;
  /** Lines of at least the longest mean of files that were written by hand; without any, it is not minified. */
  readonly longLines: number;
}

/** A text of which the first `from` and the last `behind` UTF-16 units are those of the version before. */
export interface TextEdit {
  readonly before: DocumentSnapshot;
  readonly from: number;
  readonly behind: number;
}

// eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
const ODD = /[\0-\u0008\u000e-\u001a\u001c-\u001f\ufffd][^\n]*/g;

function countsOf(text: string): TextCounts {
  return { signs: secretSigns(text), oddLines: text.match(ODD)?.length ?? 0, longLines: longLinesIn(text) };
}

/** The same as of the whole text. */
function editedCounts(text: string, counts: TextCounts, { before, from, behind }: TextEdit): TextCounts {
  const old = before.text;
  const shared = Math.max(0, Math.min(behind, Math.min(old.length, text.length) - from));
  const start = from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', text.length - shared);
  const rest = next < 0 ? 0 : text.length - next;
  const added = countsOf(text.slice(start, text.length - rest));
  const removed = countsOf(old.slice(start, old.length - rest));
  return {
    signs: counts.signs.map((count, i) => count + (added.signs[i] ?? 0) - (removed.signs[i] ?? 0)),
    oddLines: counts.oddLines + added.oddLines - removed.oddLines,
    longLines: counts.longLines + added.longLines - removed.longLines,
  };
}

function longLinesIn(text: string): number {
  let count = 0;
  for (let begin = 0; begin < text.length;) {
    const next = text.indexOf('\n', begin);
    const end = next < 0 ? text.length : next;
    if (end - begin >= LONGEST_MEAN_LINE) count += 1;
    begin = end + 1;
  }
  return count;
}
