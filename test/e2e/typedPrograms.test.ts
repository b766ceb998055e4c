// Types programs into VS Code, with IntelliSense and with brackets and quotes that the editor closes: one short program
// or, nightly, three in parallel. Tests that the document then equals the program, and that nearly all suggestions
// appear in the right place, also while the IntelliSense list is open.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from '../editor/session';
import { TYPED_SETTINGS, typeProgram } from '../editor/typedProgram';
import { fullSize } from '../support/fullSize';
import { examplesWindow, sharedVscode } from './sharedVscode';

const PROGRAMS = fullSize ? ['agenda.ts', 'seats.js', 'rain_log.py'] : ['agenda.ts'];
const PAUSES = fullSize ? 12 : 8;
/** Limit of the share of missing suggestions, among the pauses for which the engine had one. */
const MAX_MISSING = 0.04;

describe('programs typed into the editor', () => {
  const sessions: Session[] = [];
  before(async () => {
    if (!fullSize) {
      sessions.push(await examplesWindow());
      return;
    }
    const server = await sharedVscode();
    for (const file of PROGRAMS)
      sessions.push(await Session.open({ server, name: `typed-${file}`, settings: TYPED_SETTINGS }));
  });
  after(async () => {
    if (fullSize) for (const session of sessions) await session.close();
  });

  it('arrive unchanged, and show nearly every suggestion, also with the IntelliSense list open', async () => {
    const programs = PROGRAMS.map((file) => readFileSync(`test/fixtures/typed/${file}`, 'utf8').trimEnd());
    const typed = await Promise.all(
      sessions.map((session, i) => typeProgram(session, PROGRAMS[i] ?? '', programs[i] ?? '', PAUSES)),
    );
    assert.deepEqual(
      typed.map(({ text }) => text),
      programs,
    );
    const pauses = typed.flatMap((program) => program.pauses).filter(({ isSuggested }) => isSuggested);
    const missing = pauses.filter(({ judgement }) => judgement === 'none');
    assert.ok(missing.length <= MAX_MISSING * pauses.length, JSON.stringify(missing, null, 2));
    assert.deepEqual(
      typed.flatMap(({ misplaced, flickers }) => [...misplaced, ...flickers]),
      [],
    );
    const frames = typed.flatMap(({ trace }) => trace.frames);
    assert.ok(frames.some(({ ghost, list }) => ghost !== '' && list));
  });
});
