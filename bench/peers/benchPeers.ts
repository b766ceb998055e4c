// `node dist/bench/run.js peers`: Flashline against llama.cpp with the same model, as a table and, in the last line, as JSON.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArguments, parseCount } from '../../server/cli/arguments';
import { benchPrompts } from '../decode/benchPrompts';
import { PREFILL_TOKENS } from '../decode/prefillSpeed';
import { requireWritableFile } from '../writableFile';
import { ConfigFields } from '../../server/models/checkpoint/configFields';
import { loadTokenizer } from '../../server/models/text/tokenizer';
import { mediaPath } from '../../server/machine/folders';
import { comparePeers } from './comparePeers';
import { installLlama, llamaRelease, NODE_LLAMA_CPP } from './installLlama';
import type { LlamaSetup } from './peer';
import { PeerProcess, type PeerProcessOptions } from './peerProcess';
import { peersReport, renderPeers } from './peersReport';
import { writeQwen3Gguf } from './qwen3Gguf';

export const HELP = `node dist/bench/run.js peers [options]

Decodes the prompts of "flashline bench" with Flashline and with llama.cpp on the CPU, interleaved in one run after a
warm-up, each in its own process with 2 threads and the same weights. The first run installs node-llama-cpp ${NODE_LLAMA_CPP}
into the temporary folder. Prints a table and, as its last line, JSON. Takes a few minutes.

  --json FILE           write the JSON to this file (default: bench/results/peers.json)
  --repeats N           number of repeats; use at least 5 for figures worth quoting (default: 5)
  --max-tokens N        tokens per prompt (default: 64)`;

const THREADS = 2;
/** The others are compared with the first. */
const FLASHLINE = [
  { name: 'Flashline, plain', draftLength: 0 },
  { name: 'Flashline, adaptive drafts', draftLength: 'adaptive' },
  { name: 'Flashline, 5 drafts', draftLength: 5 },
] as const;
/** Keys and values of the float32 model are float32, like Flashline's; otherwise llama.cpp's default. */
const LLAMA = [
  { name: 'llama.cpp, f32', type: 'f32', cacheType: 'F32' },
  { name: 'llama.cpp, q8_0', type: 'q8_0', cacheType: 'F16' },
] as const;

export async function benchPeers(args: string[]): Promise<void> {
  const { values } = parseArguments({
    args,
    options: {
      json: { type: 'string' },
      repeats: { type: 'string', default: '5' },
      'max-tokens': { type: 'string', default: '64' },
    },
  });
  const repeats = parseCount('--repeats', values.repeats, { min: 1, max: 1000 });
  const maxTokens = parseCount('--max-tokens', values['max-tokens'], { min: 2, max: 1000 });
  if (values.json !== undefined) requireWritableFile('--json', values.json);
  // So that the models written for this run are removed.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const packageFolder = join(tmpdir(), `flashline-peers-${NODE_LLAMA_CPP}`);
  installLlama(packageFolder, progress);
  const { prompts, eosTokenIds } = readPrompts(maxTokens);
  const contextTokens = Math.max(PREFILL_TOKENS, ...prompts.map(({ length }) => length)) + maxTokens;
  const [loadBefore = NaN] = loadavg();
  const peers = await startPeers({ packageFolder, contextTokens, eosTokenIds, threads: THREADS });
  const results = await comparePeers({ peers, prompts, maxTokens, repeats, progress });
  for (const peer of peers) peer.stop();
  const report = peersReport(
    {
      nodeLlamaCpp: NODE_LLAMA_CPP,
      llamaCpp: llamaRelease(packageFolder),
      threads: THREADS,
      prompts: prompts.length,
      maxTokens,
      repeats,
      loadBefore,
    },
    results,
  );
  const json = JSON.stringify(report);
  const file = values.json ?? mediaPath('../bench/results/peers.json');
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, `${json}\n`);
  process.stdout.write(`${renderPeers(report)}\n${json}\n`);
}

/** The prompts of `flashline bench`, made without the native addon. */
function readPrompts(maxTokens: number): { prompts: number[][]; eosTokenIds: number[] } {
  const target = mediaPath('model/target');
  const fields = ConfigFields.read(join(target, 'config.json'));
  const model = {
    tokenizer: loadTokenizer(target),
    config: {
      modelType: fields.string('model_type'),
      maxPositionEmbeddings: fields.integer('max_position_embeddings'),
    },
  };
  return {
    // As the editor prompts the built-in pair.
    prompts: benchPrompts(model, maxTokens, 'spm'),
    eosTokenIds: fields.integers('eos_token_id'),
  };
}

async function startPeers(
  llama: Omit<LlamaSetup, 'runtime' | 'modelFile' | 'cacheType'>,
): Promise<PeerProcess[]> {
  const models = mkdtempSync(join(tmpdir(), 'flashline-gguf-'));
  process.once('exit', () => rmSync(models, { recursive: true, force: true }));
  const shared = { worker: join(__dirname, 'worker.js') };
  const options: PeerProcessOptions[] = FLASHLINE.map(({ name, draftLength }) => ({
    ...shared,
    name,
    weights: 'f32',
    setup: { runtime: 'flashline', draftLength },
  }));
  for (const { name, type, cacheType } of LLAMA) {
    const modelFile = join(models, `${type}.gguf`);
    progress(`writing the model as ${type}`);
    writeQwen3Gguf(mediaPath('model/target'), modelFile, type);
    const setup = { ...llama, runtime: 'llama.cpp', modelFile, cacheType } as const;
    options.push({ ...shared, name, weights: type, setup });
  }
  const peers: PeerProcess[] = [];
  for (const each of options) peers.push(await PeerProcess.start(each));
  return peers;
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
