// Kills the shared server at a random point of one of its states, and asserts the promises to its users: no typed text
// is lost, the next suggestion is that of an undisturbed server, and no process, socket or damaged file is left.
import assert from 'node:assert/strict';
import type { Rng } from '../../../bench/rng';
import { isAlive } from '../../../server/machine/isAlive';
import { until } from '../../editor/waiting';
import { SLOW_PAIR } from '../../support/hub/slowPair';
import type { EditedDocument, TypingSample } from './editedDocument';
import type { FaultWorld } from './faultWorld';
import type { KillPlan } from './killAtPoint';
import { TYPING_SAMPLES } from './typingSamples';

/** Points at which the server kills itself: at a pass with a number in `passes`, or up to `ms` milliseconds later. */
const POINTS = {
  loading: { passes: [2, 5], ms: 100 },
  prefill: { passes: [1, 3], ms: 40 },
  draft: { passes: [1, 5], ms: 15 },
  verify: { passes: [1, 5], ms: 15 },
  storing: { passes: [1, 4], ms: 0 },
} as const;
/** States; in those without a point, the harness kills the server when it sees the state. */
export const SERVER_STATES = [
  ...(Object.keys(POINTS) as KillPlan['point'][]),
  'streaming',
  'downloading',
] as const;
type ServerState = (typeof SERVER_STATES)[number];

const INSTRUCTION = 'Write a function that sorts a list.';
/** Minimum number of characters typed after the server has died. */
const TYPED_LATE = 2;
/** Maximum requests until a point is reached; some are answered without a draft. */
const TRIES = 12;
/** Limit of downloaded bytes before the kill. */
const MAX_BYTES = 3_000_000;

/** Kills the server once in this state, and asserts the promises. */
export async function killServer(world: FaultWorld, state: ServerState, rng: Rng): Promise<void> {
  if (state !== 'streaming' && state !== 'downloading') world.planKill(planOf(state, rng));
  const document = await world.open(state === 'loading' ? { load: 'start' } : {});
  const { processId } = document.window;
  const bystander = state !== 'loading' && rng.happens(0.5) ? await world.open() : undefined;
  const { sample, late } = await drive(world, document, state, rng);
  await until('the server is dead', () => document.isLost && !isAlive(processId));
  world.assertStored();

  const before = document.text;
  await document.write(late);
  assert.equal(document.text.length, before.length + late.length, 'text typed without a server was lost');
  const nextWindow = await world.open();
  await nextWindow.takeOver(document);
  if (state !== 'streaming') assert.equal(nextWindow.text, sample.before + sample.after);
  // The suggestion after generated text is unknown, so another document is used.
  if (state === 'streaming') await nextWindow.typeSample(sample, 1);
  await world.assertSuggests(nextWindow, sample);
  if (bystander) {
    await until('the other window has lost its server', () => bystander.isLost);
    await world.assertSuggestsBeside(await world.open(), sample);
  }
  assert.deepEqual(world.windows.running(), [nextWindow.window.processId], 'other servers are running');
  if (state === 'downloading') await assertResumes(world, nextWindow);
  if (state === 'storing') await world.assertStoresAgain(nextWindow);
  await world.close(nextWindow);
  await world.assertLeftNothing();
}

function planOf(point: KillPlan['point'], rng: Rng): KillPlan {
  const {
    passes: [first, last],
    ms,
  } = POINTS[point];
  const delayMs = ms === 0 || rng.happens(0.3) ? 0 : rng.integer(1, ms);
  return { point, pass: rng.integer(first, last), delayMs };
}

/** Makes requests until the server is killed. Returns the sample of the last one, and its end that is not typed yet. */
async function drive(
  world: FaultWorld,
  document: EditedDocument,
  state: ServerState,
  rng: Rng,
): Promise<{ sample: TypingSample; late: string }> {
  const kill = (): boolean => process.kill(document.window.processId, 'SIGKILL');
  const first = rng.integer(0, TYPING_SAMPLES.length - 1);
  for (let i = 0; i < TRIES; i++) {
    const sample = TYPING_SAMPLES[(first + i) % TYPING_SAMPLES.length] ?? assert.fail();
    // Differs in each try: the same prompt again would be answered without the engine.
    const late = TYPED_LATE + i;
    const lastRequest = { sample, late: sample.before.slice(sample.before.length - late) };
    await document.typeSample(sample, 1, late);
    let work: Promise<unknown>;
    if (state === 'streaming') {
      let left = rng.integer(1, 6);
      work = document.generate(INSTRUCTION, () => void ((left -= 1) === 0 && kill()));
    } else if (state === 'downloading') {
      world.forgetDownload();
      work = Promise.all([document.download(SLOW_PAIR.repositories), killWhenArrived(world, rng, kill)]);
    } else work = document.suggestion();
    if (await endsLost(work)) return lastRequest;
    if (state !== 'storing') continue;
    await document.sleep();
    await until('the server has died while it stored', () => document.isLost);
    return lastRequest;
  }
  throw new Error(`All ${String(TRIES)} requests were answered before the server reached ${state}.`);
}

async function killWhenArrived(world: FaultWorld, rng: Rng, kill: () => void): Promise<void> {
  const bytes = rng.integer(1, MAX_BYTES);
  await until('a part has arrived', () => world.arrivedBytes() >= bytes);
  kill();
}

/** Returns whether the server was lost meanwhile; rethrows other failures. */
async function endsLost(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return false;
  } catch (error) {
    if (error instanceof Error && /server ended|disposed|closed/.test(error.message)) return true;
    throw error;
  }
}

async function assertResumes(world: FaultWorld, document: EditedDocument): Promise<void> {
  const begun = world.begunFiles();
  const from = world.hub.requests.length;
  const outcome = await document.download(SLOW_PAIR.repositories);
  assert.equal(outcome.finished, 'done', JSON.stringify(outcome));
  world.assertDownloaded(outcome.finished === 'done' ? outcome.directories : []);
  const repeated = world.hub.requests
    .slice(from)
    .filter(({ path }) => begun.some((name) => path.endsWith(`/${name}`)));
  for (const { path, range } of repeated)
    assert.ok(range, `${path}: bytes that had arrived are fetched again`);
}
