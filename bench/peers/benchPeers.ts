// `node dist/bench/run.js peers`: compares Flashline with llama-server on the same model; prints a table and, as the
// last line, JSON.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledExamples } from '../../server/cli/bundledExamples';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { readSourceLocation } from '../../server/cli/sourceLocation';
import { mediaPath } from '../../server/machine/folders';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { loadTokenizer } from '../../server/models/text/loadTokenizer';
import { UserError } from '../../server/rules/userError';
import { keepCoresBusy } from '../benchMachine';
import { benchPrompts, type CursorText } from '../decode/benchPrompts';
import { printReport, requireWritable, say } from '../report';
import { comparePeers } from './comparePeers';
import { Peer, type PeerProgram } from './peer';
import { peersReport, renderPeers } from './peersReport';
import { writeQwen3Gguf } from './qwen3Gguf';

export const HELP = `node dist/bench/run.js peers [options]

Asks "flashline serve" and llama-server with 2 threads, each with the built-in target on the CPU, over HTTP and in turn:
the rest of a line in a file that is new to it (a hole), the same after one more character (a key), and the prompts of
"flashline bench". Does that on the machine as it is, and beside a process that never ends. Prints a table and, as its
last line, JSON. Takes 10 to 20 minutes.

  --llama-server FILE   the program (default: llama-server in the PATH)
  --json FILE           write the JSON to this file (default: bench/results/peers.json)
  --repeats N           number of repeats; use at least 5 for figures worth quoting (default: 5)
  --max-tokens N        tokens per prompt and per hole (default: 64)`;

/** Threads of llama-server. Flashline has no such option: a step runs in one thread, a long pass in several. */
const THREADS = 2;
/** Variants of Flashline. All peers are compared with the first. */
const FLASHLINE = [
  { name: 'Flashline, plain', draftLength: '0' },
  { name: 'Flashline, adaptive drafts', draftLength: 'adaptive' },
] as const;
/** Variants of llama.cpp. The float32 model has a float32 KV cache, like Flashline's; the others have the default. */
const LLAMA = [
  { name: 'llama.cpp', type: 'f32', flags: ['-ctk', 'f32', '-ctv', 'f32', '-fa', 'off'] },
  { name: 'llama.cpp', type: 'q8_0', flags: [] },
  { name: 'llama.cpp, look-up drafts', type: 'q8_0', flags: ['--spec-type', 'ngram-simple'] },
] as const;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      'llama-server': { type: 'string', default: 'llama-server' },
      json: { type: 'string' },
      repeats: { type: 'string', default: '5' },
      'max-tokens': { type: 'string', default: '64' },
    },
  });
  const repeats = parseCount('--repeats', values.repeats, { min: 1, max: 1000 });
  const maxTokens = parseCount('--max-tokens', values['max-tokens'], { min: 2, max: 1000 });
  const program = values['llama-server'];
  requireWritable(values.json);
  // process.exit calls the handlers that end the servers and remove the models of this run; the signal alone does not.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const llamaServer = versionOf(program);
  const cursors = bundledExamples().map(readSourceLocation);
  const prompts = readPrompts(cursors, maxTokens);
  const [loadBefore = NaN] = loadavg();
  const peers: Peer[] = [];
  const variants = [...flashlinePrograms(), ...llamaPrograms(program)];
  for (const variant of variants) peers.push(await Peer.start(variant));
  const comparison = { peers, prompts, cursors, maxTokens, repeats };
  const quiet = await comparePeers({ ...comparison, run: 'quiet' });
  const stop = keepCoresBusy(1);
  const busy = await comparePeers({ ...comparison, run: 'busy' });
  stop();
  for (const peer of peers) peer.stop();
  const counts = { threads: THREADS, prompts: prompts.length, places: cursors.length, maxTokens, repeats };
  const report = peersReport({ llamaServer, ...counts, loadBefore }, { quiet, busy });
  printReport(renderPeers(report), report, values.json ?? mediaPath('../bench/results/peers.json'));
}

/** Returns a version such as "0.7.0 (build 11669, commit Debian)". Throws UserError if the program prints none. */
function versionOf(program: string): string {
  const { stdout, stderr, status } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [, version] = /^version: (.+)$/m.exec(`${stdout}${stderr}`) ?? [];
  if (status === 0 && version !== undefined) return version;
  throw new UserError(
    `"${program} --version" failed or printed no version. Install llama.cpp, or give --llama-server its path.`,
  );
}

/** Returns the prompts of `flashline bench`, built without the native addon. */
function readPrompts(cursors: readonly CursorText[], maxTokens: number): number[][] {
  const target = mediaPath('model/target');
  const fields = ConfigFields.read(join(target, 'config.json'));
  const config = {
    modelType: fields.string('model_type'),
    maxPositionEmbeddings: fields.integer('max_position_embeddings'),
  };
  // The editor prompts the built-in pair in the same way.
  return benchPrompts({ tokenizer: loadTokenizer(target), config }, maxTokens, cursors);
}

function flashlinePrograms(): PeerProgram[] {
  return FLASHLINE.map(({ name, draftLength }) => ({
    name,
    weights: 'f32',
    program: process.execPath,
    args: [mediaPath('../dist/cli.js'), 'serve', '--device', 'cpu', '--draft-length', draftLength],
  }));
}

/** Returns the variants of llama.cpp with their GGUF files, which are removed at exit. */
function llamaPrograms(program: string): PeerProgram[] {
  const folder = mkdtempSync(join(tmpdir(), 'flashline-gguf-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const type of ['f32', 'q8_0'] as const) {
    say(`writing the model as ${type}`);
    writeQwen3Gguf(mediaPath('model/target'), join(folder, `${type}.gguf`), type);
  }
  return LLAMA.map(({ name, type, flags }) => {
    const model = ['-m', join(folder, `${type}.gguf`), '-c', '2048', '-np', '1', '-t', String(THREADS)];
    return { name, weights: type, program, args: [...model, '--host', '127.0.0.1', ...flags] };
  });
}
