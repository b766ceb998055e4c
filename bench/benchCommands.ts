// `flashline bench` and `flashline replay`, which exist only in the repository: dist/cli.js loads them from the bundle
// of this file.
import { main } from '../server/cli/main';
import * as bench from './decode/bench';
import * as replay from './replay/replay';

/** Runs a command line like the program itself, including error messages. */
export async function benchCommands(argv: readonly string[]): Promise<void> {
  await main(argv, {
    bench: { run: bench.run, help: bench.HELP },
    replay: { run: replay.run, help: replay.HELP },
  });
}
