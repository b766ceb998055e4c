// Decides which documents may enter prompts: no secrets, no binary or minified files, no very large ones. The extension
// filters documents before it sends them; this check covers all clients.
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  isBinaryName,
  isBroken,
  isMinifiedName,
  MAX_CODE_LINE_LENGTH,
  MAX_MEAN_CODE_LINE_LENGTH,
  MAX_TEXT_LENGTH,
  MAX_ODD_CHARACTERS,
} from '../../rules/notCode';
import { isSecretPath } from '../../rules/secretPaths';
import { isMiddleOfKey, isSecretText } from '../../rules/secretTexts';
import { pathsOfFile } from '../../machine/pathsOfFile';
import type { DocumentSnapshot, Ineligibility } from './context';

/**
 * Characters at the start of a text that are checked for binary data and minified code. A large text is checked for
 * secrets only there.
 */
const SAMPLE = 65_536;

type Unchecked = Omit<DocumentSnapshot, 'ineligibleText'>;

/**
 * Checks the text of a version of a document, once, as that takes 0.4 ms for 20 KB and 1 ms for 100 KB. Text of files
 * that are not open, such as a definition, gets a snapshot too before it enters a prompt.
 */
export function documentSnapshot(document: Unchecked): DocumentSnapshot {
  return { ...document, ineligibleText: ineligibility(document) };
}

/**
 * Returns why a document must stay out of prompts; undefined if it may enter them. Resolves the links in its path at
 * each call, since these can change while the document is open.
 */
export function whyIneligible({ uri, ineligibleText }: DocumentSnapshot): Ineligibility | undefined {
  return hasSecretPath(uri) ? 'secret' : ineligibleText;
}

/**
 * Returns whether text of a file may enter prompts, by the rules for secrets alone. `name` can be a path or a URI.
 * `text` can be a part of the file, so it is also checked for the middle of a key.
 */
export function mayEnterPrompts(name: string, text: string): boolean {
  return !hasSecretPath(name) && !isSecretText('', text) && !isMiddleOfKey(text);
}

function ineligibility({ fileName, languageId, text }: Unchecked): Ineligibility | undefined {
  const isLarge = text.length > MAX_TEXT_LENGTH;
  const sample = text.slice(0, SAMPLE);
  if (isSecretPath(fileName) || isSecretText(languageId, isLarge ? sample : text)) return 'secret';
  if (isLarge) return 'large';
  if (isBinaryName(fileName) || isBinary(sample)) return 'binary';
  return isMinifiedName(fileName) || isMinified(sample) ? 'minified' : undefined;
}

/** Returns whether a file, or a target of links in its path, has the name of a secret. `uri` can be a path. */
export function hasSecretPath(uri: string): boolean {
  return isSecretPath(uri) || filesOf(uri).some(leadsToSecret);
}

/**
 * Returns whether a file or a target of its links has the name of a secret. A dangling link counts too: the editor can
 * still show its former target, which could be a secret.
 */
function leadsToSecret(file: string): boolean {
  const paths = pathsOfFile(file);
  return paths.some(isSecretPath) || (paths.length > 1 && !existsSync(file));
}

/**
 * Returns the local paths that a URI or an absolute path can mean: two for a URI with a ? or # that is not encoded,
 * none for a URI of another scheme or host.
 */
function filesOf(uri: string): readonly string[] {
  const [, scheme, path] =
    /^(file|vscode-notebook-cell):(?:\/\/(?:localhost)?(?=\/))?(\/(?!\/).*)$/is.exec(uri) ?? [];
  if (scheme === undefined || path === undefined)
    return isAbsolute(uri) && !/^[\\/]{2}/.test(uri) ? [uri] : [];
  const candidates = /[?#]/.test(path) ? [path, path.replace(/[?#].*$/s, '')] : [path];
  return candidates.map((path) => decoded(path).replace(/^\/(?=[a-z]:)/i, ''));
}

/** Decodes a path of a URI; returns it unchanged if its encoding is invalid. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isBinary(sample: string): boolean {
  if (sample.includes('\0')) return true;
  // eslint-disable-next-line no-control-regex -- binary data read as text has such characters
  const { length = 0 } = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g) ?? {};
  return (length > MAX_ODD_CHARACTERS && length / sample.length > 0.02) || isBroken(sample);
}

function isMinified(sample: string): boolean {
  const lines = sample.split('\n');
  return (
    lines.some((line) => line.length > MAX_CODE_LINE_LENGTH) ||
    (sample.length > MAX_CODE_LINE_LENGTH && sample.length / lines.length > MAX_MEAN_CODE_LINE_LENGTH)
  );
}
