// An example for the prompts of Sweep and Zeta: `n` is being renamed to `total`, and the first line was just changed.
import { EditLog, linesOf } from '../../server/nextEdit/editLog';
import { editWindow, type EditPrompt } from '../../server/nextEdit/editWindow';
import type { EditFormat } from '../../server/nextEdit/editFormat';
import { documentSnapshot } from '../../server/completion/prompt/eligibility';

export const URI = 'file:///w/src/sum.ts';
export const BEFORE = 'let n = 0;\nfor (const x of xs) n += x;\nreturn n;\n';
export const NOW = 'let total = 0;\nfor (const x of xs) n += x;\nreturn n;\n';
export const AFTER = 'let total = 0;\nfor (const x of xs) total += x;\nreturn total;\n';
export const CURSOR = { line: 0, character: 'let total = 0;'.length };

export function snapshot(text: string, uri = URI, fileName = 'src/sum.ts') {
  return documentSnapshot({ uri, fileName, languageId: 'typescript', text });
}

/** Returns the prompt after a change of `before` to `now`. Throws if lines at the cursor are too long for a window. */
export function sumPrompt(format: EditFormat, cursor = CURSOR, [before, now] = [BEFORE, NOW]): EditPrompt {
  const log = new EditLog();
  log.changed(snapshot(before), 0);
  log.changed(snapshot(now), 1);
  const lines = linesOf(now);
  const events = log.events();
  const window = editWindow(lines, cursor, format.span(lines, cursor), events.at(-1));
  if (window === undefined) throw new Error('No edit window is around this cursor; choose shorter lines.');
  return { path: 'src/sum.ts', lines, cursor, window, events, room: 10_000 };
}
