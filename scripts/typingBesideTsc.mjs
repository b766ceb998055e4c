// node scripts/typingBesideTsc.mjs [ROUNDS] [ARGUMENTS]: types programs into VS Code, alternately on a quiet machine
// and beside tsc in a loop, and prints how good the suggestions at the pauses were. ARGUMENTS go to npm run bench --
// typing; --set held by default. Needs a quiet machine: about half an hour a round.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endWithNpm, root, script } from './command.mjs';

const TSC = path.join(root, 'node_modules/typescript/bin/tsc');

/** Starts tsc again and again, and returns a function that ends it. */
function compileForever() {
  let isEnded = false;
  let child;
  const compile = () => {
    child = spawn(process.execPath, [TSC, '-p', root, '--noEmit'], { stdio: 'ignore' });
    child.once('close', () => isEnded || compile());
  };
  compile();
  return () => {
    isEnded = true;
    child.kill();
  };
}

/** Types the programs once, and returns the figures over all of them. */
async function typePrograms(json, args) {
  const bench = [path.join(root, 'scripts/bench.mjs'), 'typing', ...args, '--json', json];
  const [code] = await once(
    spawn(process.execPath, bench, { stdio: ['ignore', 'ignore', 'inherit'] }),
    'close',
  );
  if (code !== 0) throw new Error(`The typed programs ended with code ${code}. See the lines above.`);
  return JSON.parse(fs.readFileSync(json, 'utf8')).figures.find(({ name }) => name === 'all');
}

/** Returns a line with the figures of a round. */
function figuresLine(name, { wanted, beginsRight, wrong, none, pauses, waitedMs }) {
  const shares = Object.entries({ wanted, 'begins right': beginsRight, wrong, none });
  const text = shares.map(([worth, share]) => `${worth} ${(100 * share).toFixed(1)} %`).join(', ');
  return `${name}: ${text} of ${pauses} pauses; ${Math.round(waitedMs?.p50 ?? 0)} ms to a suggestion (median)\n`;
}

await script(async () => {
  endWithNpm();
  const [rounds = '2', ...args] = process.argv.slice(2);
  const options = args.length > 0 ? args : ['--set', 'held'];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flashline-typing-'));
  try {
    for (let round = 1; round <= Number(rounds); round += 1) {
      const quiet = await typePrograms(path.join(folder, `quiet-${round}.json`), options);
      process.stdout.write(figuresLine('quiet', quiet));
      const end = compileForever();
      try {
        const besideTsc = await typePrograms(path.join(folder, `tsc-${round}.json`), options);
        process.stdout.write(figuresLine('beside tsc', besideTsc));
      } finally {
        end();
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
