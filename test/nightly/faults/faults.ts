// Kills at random points, one after the other, in a world that outlives them all.
import { Rng } from '../../../bench/rng';
import { FaultWorld, type Known } from './faultWorld';
import { killOwner, OWNER_STATES } from './ownerKills';
import { killServer, SERVER_STATES } from './serverKills';

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly onKill?: (kill: Kill) => void;
}

export interface Kill {
  /** Who was killed, and at what. */
  readonly what: string;
  /** What did not hold. */
  readonly problem: unknown;
}

type Deed = (world: FaultWorld, rng: Rng, known: Known) => Promise<void>;

/** In turn, so that each gets its share. */
export const DEEDS: readonly (readonly [what: string, deed: Deed])[] = [
  ...SERVER_STATES.map((state): [string, Deed] => [
    `server, ${state}`,
    (world, rng, known) => killServer(world, state, rng, known),
  ]),
  ...OWNER_STATES.map((state): [string, Deed] => [
    `window, ${state}`,
    (world, rng, known) => killOwner(world, state, rng, known),
  ]),
];

/** Each kill has a seed of its own, `seed` and its number. After a problem the next one gets a new world. */
export async function killAtRandom({ kills, seed, signal, onKill }: KillOptions): Promise<Kill[]> {
  const done: Kill[] = [];
  let world = await FaultWorld.create();
  try {
    const known = await world.knownSuggestions();
    for (let i = 0; i < kills && !signal?.aborted; i++) {
      const [what, deed] = DEEDS[i % DEEDS.length] ?? [];
      if (what === undefined || deed === undefined) break;
      let problem: unknown;
      try {
        await deed(world, new Rng(1000 * seed + i), known);
      } catch (error) {
        problem = error;
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
