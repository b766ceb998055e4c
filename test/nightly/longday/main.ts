// `npm run longday`: replays hours of typing in minutes, and checks that the resources of the server and the extension
// host stay constant.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArguments, parseCount, parseNumber } from '../../../server/cli/arguments';
import { interruptSignal } from '../../../server/cli/interruptSignal';
import { dayReport } from './dayReport';
import { editorDay } from './editorDay';
import { longDay } from './longDay';

const HELP = `npm run longday -- [options]

Replays a day of typing with switches of files, models and windows, sleeps and reloads: through the protocol in two
windows that share a server, and at the keyboard in a real VS Code. Prints how memory, handles, timers and listeners
develop. Ends with exit code 1 if one of them grows beyond its limit, if typed text is missing from a document, or if
the server prints anything.

  --hours N             hours of the day (default: 8)
  --speed X             divide all pauses by X, and so the day (default: 20)
  --seed N              seed of what is typed and what happens (default: 1)
  --no-editor           without VS Code
  --preload FILE        module that the server loads first, such as one that leaks
  --json FILE           write all samples to this file`;

export async function main(args: string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return void process.stdout.write(`${HELP}\n`);
  const { values } = parseArguments({
    args,
    options: {
      hours: { type: 'string', default: '8' },
      speed: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      'no-editor': { type: 'boolean', default: false },
      preload: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const options = {
    hours: parseNumber('--hours', values.hours, { min: 0.01, max: 100 }),
    speed: parseNumber('--speed', values.speed, { min: 1, max: 100 }),
    seed: parseCount('--seed', values.seed, { min: 0, max: 999_999_999 }),
    signal: interruptSignal(),
    preloads: values.preload === undefined ? [] : [resolve(values.preload)],
    onSample: ({ hour }: { hour: number }) => process.stderr.write(`\r${hour.toFixed(2)} h`),
  };
  const [day, editor] = await Promise.all([
    longDay(options),
    values['no-editor'] ? undefined : editorDay(options),
  ]);
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ day, editor }));
  const { text, complaints } = dayReport(day, editor);
  process.stdout.write(`\n${text}\n${complaints.map((line) => `${line}\n`).join('')}`);
  if (complaints.length > 0) process.exitCode = 1;
}
