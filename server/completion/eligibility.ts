// Eligibility: which documents may enter a prompt at all. No secrets, no binary or generated files, nothing too large.
// The extension filters first; this check holds for every client.
import {
  isBinaryName,
  isMinifiedName,
  isSecretFile,
  LONGEST_LINE,
  LONGEST_MEAN_LINE,
  LONGEST_TEXT,
} from '../rules/hiddenFiles';
import type { DocumentSnapshot, Ineligibility } from './context';

/** Characters at the start that are checked. */
const SAMPLE = 65_536;
/** Any text may have so many control characters, or letters of another encoding, however short it is. */
const MOST_ODD = 8;

type Unchecked = Omit<DocumentSnapshot, 'ineligible'>;

/**
 * A document at one version, checked once: whoever builds a prompt reads `ineligible` there. `realPath` is where its
 * file is behind links, if it has one.
 */
export function documentSnapshot(document: Unchecked, realPath = ''): DocumentSnapshot {
  return { ...document, ineligible: ineligibility(document, realPath) };
}

function ineligibility(
  { uri, fileName, languageId, text }: Unchecked,
  realPath: string,
): Ineligibility | undefined {
  const sample = text.slice(0, SAMPLE);
  // Some clients do not encode characters that would end the path of a URI.
  const paths = [...[uri, uri.replace(/[?#].*$/, '')].map(decoded), realPath];
  if (paths.some((path) => isSecretFile(path, '', '')) || isSecretFile(fileName, languageId, sample))
    return 'secret';
  if (text.length > LONGEST_TEXT) return 'large';
  if (isBinaryName(fileName) || isBinary(sample)) return 'binary';
  return isMinified(fileName, sample) ? 'minified' : undefined;
}

/** Returns the text unchanged if it was not encoded. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isBinary(sample: string): boolean {
  if (sample.includes('\0')) return true;
  const share = (odd: RegExp): number => {
    const { length = 0 } = sample.match(odd) ?? {};
    return length > MOST_ODD ? length / sample.length : 0;
  };
  // eslint-disable-next-line no-control-regex -- such characters are what a binary file looks like as text
  return share(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f]/g) > 0.02 || share(/\ufffd/g) > 0.1;
}

function isMinified(fileName: string, sample: string): boolean {
  if (isMinifiedName(fileName)) return true;
  const lines = sample.split('\n');
  return (
    lines.some((line) => line.length > LONGEST_LINE) ||
    (sample.length > LONGEST_LINE && sample.length / lines.length > LONGEST_MEAN_LINE)
  );
}
