// Which documents may enter a prompt at all: no secrets, nothing that is not code, nothing without end.
// The extension has the first gate; this one holds for every client.
import {
  isBinaryName,
  isMinifiedName,
  isSecretFile,
  LONGEST_LINE,
  LONGEST_MEAN_LINE,
} from '../rules/hiddenFiles';
import type { DocumentSnapshot, Ineligibility } from './context';

const MAX_CHARACTERS = 2_000_000;
/** Characters at the start that are looked at. */
const SAMPLE = 65_536;

/** A document at one version, looked at once: whoever makes a prompt reads `ineligible` there. */
export function documentSnapshot(document: Omit<DocumentSnapshot, 'ineligible'>): DocumentSnapshot {
  return { ...document, ineligible: ineligibility(document) };
}

/** Why a document must stay out of every prompt; undefined when it may enter. */
export function ineligibility(
  document: Pick<DocumentSnapshot, 'uri' | 'fileName' | 'languageId' | 'text'>,
): Ineligibility | undefined {
  const { uri, fileName, languageId, text } = document;
  const sample = text.slice(0, SAMPLE);
  if (isSecretPath(uri) || isSecretFile(fileName, languageId, sample)) return 'secret';
  if (text.length > MAX_CHARACTERS) return 'large';
  if (isBinaryName(fileName) || isBinary(sample)) return 'binary';
  return isMinified(fileName, sample) ? 'minified' : undefined;
}

/** By the name alone, of a path or a URI. */
export function isSecretPath(path: string): boolean {
  // Some clients do not encode what would end the path of a URI.
  return [path, path.replace(/[?#].*$/, '')].some((each) => isSecretFile(decoded(each), '', ''));
}

/** As it is where it was not encoded. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isBinary(sample: string): boolean {
  if (sample.includes('\0')) return true;
  // eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
  const odd = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g);
  return (odd?.length ?? 0) > sample.length / 50;
}

function isMinified(fileName: string, sample: string): boolean {
  if (isMinifiedName(fileName)) return true;
  const lines = sample.split('\n');
  return (
    lines.some((line) => line.length > LONGEST_LINE) ||
    (sample.length > LONGEST_LINE && sample.length / lines.length > LONGEST_MEAN_LINE)
  );
}
