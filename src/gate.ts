// Whether a request may go to the server at all, and if not why. Pure, and cheap enough for every keystroke:
// it looks at names, sizes and at most three lines, and never copies the text.
import {
  isBinaryName,
  isMinifiedName,
  isSecretFile,
  LONGEST_LINE,
  LONGEST_MEAN_LINE,
} from '../server/rules/hiddenFiles';
import type { DocumentFacts } from './documentFacts';
import { isEnabled, isEnabledFor, type Settings } from './settings';

export type GateReason =
  | 'disabled'
  | 'editor' // inline suggestions are off in VS Code itself
  | 'snoozed'
  | 'untrusted'
  | 'input'
  | 'readOnly'
  | 'secret'
  | 'excluded'
  | 'tooLarge'
  | 'binary'
  | 'minified'
  | 'language'
  | 'manual'
  | 'multiCursor';

export interface GateInput {
  readonly settings: Settings;
  readonly document: DocumentFacts;
  /** Line of the cursor. */
  readonly line: number;
  readonly cursors: number;
  readonly trusted: boolean;
  readonly snoozed: boolean;
  readonly writable: boolean;
  /** The person asked for a suggestion, rather than typed. */
  readonly explicit: boolean;
}

/** Documents of other schemes are outputs, inputs and views of VS Code: consoles, commit messages, comments. */
export const SCHEMES: readonly string[] = [
  'file',
  'untitled',
  'vscode-notebook-cell',
  'vscode-remote',
  'vscode-vfs',
];

const MAX_SIZE = 5 * 1024 * 1024;
/** Below it, the mean length of lines says nothing. */
const MINIFIED_SIZE = 4000;
const PEEK = 1000;
const INPUT_LANGUAGES: readonly string[] = ['scminput', 'commentinput'];

export function gate(input: GateInput): GateReason | undefined {
  const { settings, document, explicit } = input;
  if (!isEnabled(settings)) return 'disabled';
  if (!settings.inlineSuggest) return 'editor';
  if (input.snoozed) return 'snoozed';
  const closed = documentGate(input);
  if (closed !== undefined) return closed;
  if (!isEnabledFor(settings, document.languageId)) return 'language';
  if (settings.trigger === 'manual' && !explicit) return 'manual';
  return input.cursors > 1 ? 'multiCursor' : undefined;
}

/** The part that also closes a document to the generate command, which the person asks for by name. */
export function documentGate(
  input: Pick<GateInput, 'settings' | 'document' | 'line' | 'trusted' | 'writable'>,
): GateReason | undefined {
  if (!input.trusted) return 'untrusted';
  if (!input.writable) return 'readOnly';
  const hidden = hiddenDocument(input.document, input.settings);
  if (hidden !== undefined) return hidden;
  return isMinified(input.document, input.line) ? 'minified' : undefined;
}

/** Why the server must not see the text of a document at all, not even as context of another one. */
export function hiddenDocument(document: DocumentFacts, { exclude }: Settings): GateReason | undefined {
  const { scheme, path, languageId, size } = document;
  if (!SCHEMES.includes(scheme) || INPUT_LANGUAGES.includes(languageId)) return 'input';
  const firstLine = document.lineAt(0);
  if (isSecretFile(path, languageId, firstLine)) return 'secret';
  if (exclude.some((pattern) => pattern.test(path))) return 'excluded';
  if (size >= MAX_SIZE) return 'tooLarge';
  return isBinaryName(path) || isBinary(firstLine) ? 'binary' : undefined;
}

function isMinified(document: DocumentFacts, line: number): boolean {
  const { path, size, lineCount } = document;
  if (isMinifiedName(path)) return true;
  if (size > MINIFIED_SIZE && size / lineCount > LONGEST_MEAN_LINE) return true;
  return line < lineCount && document.lineAt(line).length > LONGEST_LINE;
}

/** NUL, or what VS Code shows for bytes that are no text. */
function isBinary(line: string): boolean {
  const start = line.length > PEEK ? line.slice(0, PEEK) : line;
  return start.includes('\0') || start.includes('\uFFFD');
}
