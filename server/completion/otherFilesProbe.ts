// How best to quote other files to a model that fills holes: behind the token that separates files, or in comments of
// the completed file. Many vocabularies have the token, but models that never saw several files in one text do not know
// what it is for. Probed at the first load, with holes whose answers stand in another file.
import { completionContext } from './context';
import type { Decoder, Infill } from './decoder';
import { completionPrompt, fileSeparator } from './prompt';
import type { Snippet } from './snippets';

interface Hole {
  readonly fileName: string;
  readonly languageId: string;
  readonly other: Snippet;
  readonly prefix: string;
  readonly suffix: string;
  readonly answer: RegExp;
}

const HOLES: readonly Hole[] = [
  {
    fileName: 'trip.py',
    languageId: 'python',
    other: {
      fileName: 'route.py',
      text: 'class Route:\n    def __init__(self, stations):\n        self.stations\n    def add_station(self, name):',
    },
    prefix:
      'from route import Route\n\n\ndef plan(names):\n    route = Route([])\n    for name in names:\n        route.',
    suffix: '\n    return route\n',
    answer: /^add_station\(name\)/,
  },
  {
    fileName: 'door.py',
    languageId: 'python',
    other: {
      fileName: 'lock.py',
      text: 'class Lock:\n    def unlock_with(self, key):\n    def is_locked(self):',
    },
    prefix:
      'from lock import Lock\n\n\nclass Door:\n    def __init__(self):\n        self.lock = Lock()\n\n    def open(self, key):\n        self.lock.',
    suffix: '\n',
    answer: /^unlock_with\(key\)/,
  },
  {
    fileName: 'log.js',
    languageId: 'javascript',
    other: {
      fileName: 'journal.js',
      text: 'export class Journal {\n  appendEntry(entry)\n  lastEntry()',
    },
    prefix:
      "import { Journal } from './journal.js';\n\nexport function note(entry) {\n  const journal = new Journal();\n  journal.",
    suffix: '\n}\n',
    answer: /^appendEntry\(entry\)/,
  },
];

const MAX_TOKENS = 8;

/** `infill` is what was found out before. Undefined for the token, which all published formats with one describe. */
export async function otherFilesProbe(
  decoder: Omit<Decoder, keyof Infill>,
  infill: Infill,
  signal: AbortSignal,
): Promise<Infill['otherFiles']> {
  if (infill.infill !== 'fim' || fileSeparator(decoder.tokenizer) === undefined) return undefined;
  const separated = await filled(decoder, infill, signal);
  if (separated === HOLES.length) return undefined;
  const commented = await filled(decoder, { ...infill, otherFiles: 'commented' }, signal);
  return commented > separated ? 'commented' : undefined;
}

async function filled(
  decoder: Omit<Decoder, keyof Infill>,
  infill: Infill,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const { fileName, languageId, other, prefix, suffix, answer } of HOLES) {
    const document = { uri: '', fileName, languageId, version: 0, text: prefix + suffix };
    const context = completionContext({ ...document, ineligible: undefined }, prefix.length);
    const { tokenizer } = decoder;
    const asked = { ...infill, tokenizer, encodeChat: () => undefined };
    const budget = decoder.contextTokens - MAX_TOKENS;
    const prompt = completionPrompt({ context, prefix, snippets: [other], budget }, asked);
    if (prompt === undefined || signal.aborted) return 0;
    let text = '';
    const { stopTokenIds } = prompt;
    const limits = { maxTokens: MAX_TOKENS, stopStrings: ['\n'], stopTokenIds, signal };
    for await (const piece of decoder.decode(prompt.ids, limits)) text += piece.text;
    if (answer.test(text)) count += 1;
  }
  return count;
}
