// Types a trace against a server in this process, and checks all of its decodes afterwards.
import { settle } from '../../server/completion/session/suggest';
import { ModelPool } from '../../server/hosting/modelPool';
import { loadPair, type PairArguments } from '../../server/cli/arguments';
import type { Losslessness } from './lossless';
import type { ReplayRun } from './playProcess';
import { RecordedEngine } from './recordedEngine';
import { ReplayClient } from './replayClient';
import { servedHere } from './servedHere';
import { Typist, type Played } from './typist';
import { verifyDecodes } from './verifyDecodes';

export interface VerifiedPlay {
  readonly played: Played;
  readonly lossless: Losslessness;
}

/** `progressOf` returns a listener for this many decodes. */
export async function playVerified(
  { trace, settings, typing }: ReplayRun,
  pair: PairArguments,
  progressOf: (all: number) => (checked: number) => void,
): Promise<VerifiedPlay> {
  const engine = await loadPair(pair);
  try {
    const recorded = new RecordedEngine(engine);
    const named = {
      engine: recorded,
      target: pair.target ?? 'embedded',
      drafter: pair.drafter,
      remember: () => undefined,
    };
    const { reader, writer } = servedHere({
      pool: new ModelPool({ load: () => Promise.resolve(named) }),
      settle,
      pluggedIn: () => Promise.resolve(true),
    });
    const client = new ReplayClient(reader, writer);
    await client.start(settings);
    const played = await new Typist(client, trace, typing).play();
    const runs = recorded.runs.filter(({ tokenIds }) => tokenIds.length > 0);
    return { played, lossless: await verifyDecodes(runs, engine, typing.signal, progressOf(runs.length)) };
  } finally {
    await engine.dispose();
  }
}
