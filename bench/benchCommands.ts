// `flashline bench` and `flashline replay`, which exist only in the repository: dist/cli.js loads them from the file
// that this one is built into.
import { main } from '../server/cli/main';
import * as bench from './decode/bench';
import * as replay from './replay/replay';

/** Runs a command line like the program itself, error messages included. */
export async function benchCommands(argv: readonly string[]): Promise<void> {
  await main(argv, {
    bench: { run: bench.run, help: bench.HELP },
    replay: { run: replay.run, help: replay.HELP },
  });
}
