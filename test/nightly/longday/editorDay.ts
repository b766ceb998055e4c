// A long day in a real VS Code window: typing at the keyboard, suggestions accepted, files and models switched, the
// server restarted. After each round, when no file is open, the extension host reports its resources.
import { Rng } from '../../../bench/rng';
import { ONLY_TAB_TAKES } from '../../editor/profile';
import { Session } from '../../editor/session';
import type { DaySample } from './judgeDay';
import type { DayOptions } from './longDay';

export interface EditorDay {
  readonly samples: readonly DaySample[];
  /** Number of each event; `lost` counts rounds after which typed text was missing from the document. */
  readonly done: Readonly<Record<'rounds' | 'keys' | 'accepted' | 'restarts' | 'models' | 'lost', number>>;
}

const FILES = {
  'stack.ts': 'export class Stack {\n  private items: number[] = [];\n\n',
  'mean.py': 'def mean(values):\n    return sum(values) / len(values)\n\n\n',
  'list.js': 'export function last(list) {\n  return list[list.length - 1];\n}\n\n',
};
/** Beginnings of lines to type, which suggestions can continue. */
const HEADS = ['function first(', 'const total = ', '  return ', 'if (', 'for (const item of '];
const ROUND_KEYS = 90;
/** Keys counted after each head: Enter, and Tab, which is pressed for some of the suggestions. */
const KEYS_AFTER_HEAD = 2;
/** Time in which a person reads a suggestion; also the longest wait for one. */
const PAUSE_MS = 1500;
const HOUR_MS = 3_600_000;

export async function editorDay({ hours, speed, seed, signal }: DayOptions): Promise<EditorDay> {
  const session = await Session.open({ name: 'day', files: FILES, settings: ONLY_TAB_TAKES });
  try {
    const rng = new Rng(seed);
    const samples: DaySample[] = [];
    const done = { rounds: 0, keys: 0, accepted: 0, restarts: 0, models: 0, lost: 0 };
    const startedAt = performance.now();
    const hour = (): number => ((performance.now() - startedAt) * speed) / HOUR_MS;
    while (hour() < hours && !signal.aborted) {
      await causeEvent(session, rng, done);
      if (!(await typeRound(session, rng, speed, done))) done.lost += 1;
      done.rounds += 1;
      const { use } = await session.probe.state();
      samples.push({ hour: hour(), resources: { ...use } });
    }
    return { samples, done };
  } finally {
    await session.close();
  }
}

/** Sometimes switches the drafter off and on, or restarts the server. */
async function causeEvent(
  session: Session,
  rng: Rng,
  done: { restarts: number; models: number },
): Promise<void> {
  if (rng.happens(0.1)) {
    done.models += 1;
    await session.probe.setting('flashline.drafter', 'none');
    await session.probe.setting('flashline.drafter', undefined);
  }
  if (rng.happens(0.05)) {
    done.restarts += 1;
    await session.probe.command('flashline.restart');
    await session.ready();
  }
}

/** Types a round; returns whether all typed text is in the document, in order. */
async function typeRound(
  { probe, profile, workbench }: Session,
  rng: Rng,
  speed: number,
  done: { keys: number; accepted: number },
): Promise<boolean> {
  const [file = '', start = ''] = rng.pick(Object.entries(FILES)) ?? [];
  await probe.show(profile.file(file), start.length);
  await workbench.editor.waitFor();
  const typed: string[] = [];
  for (let keys = 0; keys < ROUND_KEYS; keys += KEYS_AFTER_HEAD + (typed.at(-1) ?? '').length) {
    typed.push(rng.pick(HEADS) ?? '');
    await workbench.type(typed.at(-1) ?? '', 0);
    const shown = workbench.ghost.first().waitFor({ timeout: PAUSE_MS });
    const isShown = await shown.then(
      () => true,
      () => false,
    );
    await workbench.page.waitForTimeout(PAUSE_MS / speed);
    if (isShown && rng.happens(0.5)) {
      await workbench.press('Tab');
      done.accepted += 1;
    }
    await workbench.press('Enter');
  }
  done.keys += typed.join('').length + KEYS_AFTER_HEAD * typed.length;
  const { text = '' } = await probe.state();
  await probe.command('workbench.action.revertAndCloseActiveEditor');
  let from = 0;
  return typed.every((part) => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}
