// `flashline bench` and `flashline replay`, which exist only in the repository: dist/cli.js loads them from the file
// that this one is built into.
import { main } from '../server/cli/main';
import { bench, BENCH_HELP } from './decode/bench';
import { replay } from './replay/replay';
import { REPLAY_HELP } from './replay/replayArguments';

/** Runs a command line like the program itself, error messages included. */
export async function benchCommands(argv: readonly string[]): Promise<void> {
  await main(argv, { bench: { run: bench, help: BENCH_HELP }, replay: { run: replay, help: REPLAY_HELP } });
}
