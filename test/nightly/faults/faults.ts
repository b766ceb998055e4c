// Kills processes at random points, one after the other, in an environment that outlives them.
import assert from 'node:assert/strict';
import { Rng } from '../../../bench/rng';
import { FaultWorld } from './faultWorld';
import { killOwner, OWNER_STATES } from './ownerKills';
import { killServer, SERVER_STATES } from './serverKills';

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly onKill?: (kill: Kill) => void;
}

export interface Kill {
  /** Killed process and its activity. */
  readonly what: string;
  /** Error of the check that failed, if any. */
  readonly problem: unknown;
}

/** Processes to kill and their activities, which take turns. */
export const KILL_KINDS: readonly (readonly [
  what: string,
  kill: (world: FaultWorld, rng: Rng) => Promise<void>,
])[] = [
  ...SERVER_STATES.map(
    (state) => [`server, ${state}`, (world: FaultWorld, rng: Rng) => killServer(world, state, rng)] as const,
  ),
  ...OWNER_STATES.map(
    (state) => [`window, ${state}`, (world: FaultWorld, rng: Rng) => killOwner(world, state, rng)] as const,
  ),
];

/** Kills processes in turn; kill `i` has the seed `1000 * seed + i`. After a problem the next has a new environment. */
export async function killAtRandom({ kills, seed, signal, onKill }: KillOptions): Promise<Kill[]> {
  const done: Kill[] = [];
  let world = await FaultWorld.create();
  try {
    for (let i = 0; i < kills && !signal?.aborted; i++) {
      const [what, kill] = KILL_KINDS[i % KILL_KINDS.length] ?? assert.fail();
      const problem: unknown = await kill(world, new Rng(1000 * seed + i)).catch((error: unknown) => error);
      if (problem !== undefined) {
        await world.remove();
        world = await FaultWorld.create();
      }
      done.push({ what, problem });
      onKill?.({ what, problem });
    }
  } finally {
    await world.remove();
  }
  return done;
}
