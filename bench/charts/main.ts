// `npm run bench:charts [-- RESULTS [CHARTS]]`: draws the charts of the documentation from the results of the
// benchmarks. Reports on stderr what it wrote: the last line of stdout belongs to the measurements before it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../server/inputError';
import { mediaPath } from '../../server/mediaPath';
import { charts } from './charts';
import { readResults } from './results';

function main([
  results = mediaPath('../bench/results'),
  folder = mediaPath('charts'),
]: readonly string[]): void {
  const drawn = charts(readResults(results));
  if (drawn.length === 0) {
    throw new InputError({
      expected: `decode.json, replay.json or peers.json in ${results}`,
      got: 'none of them',
      remedy: 'run "npm run bench" or "npm run bench:peers" first',
    });
  }
  mkdirSync(folder, { recursive: true });
  for (const { file, svg } of drawn) writeFileSync(join(folder, file), svg);
  process.stderr.write(`${drawn.map(({ file }) => file).join(', ')} in ${folder}\n`);
}

try {
  main(process.argv.slice(2));
} catch (error) {
  const known = error instanceof InputError;
  const text = known ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`bench:charts: ${text ?? ''}\n`);
  process.exitCode = known ? 2 : 1;
}
