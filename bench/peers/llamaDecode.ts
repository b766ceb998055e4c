// llama.cpp as a peer, through node-llama-cpp: CPU only, greedy, without drafts and without flash attention.
// The package is not a dependency, so the part of its interface that is needed is declared here.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LlamaSetup, PeerDecode } from './peer';

interface LlamaPackage {
  readonly getLlama: (options: Readonly<Record<string, unknown>>) => Promise<Llama>;
}

interface Llama {
  loadModel(options: { readonly modelPath: string }): Promise<LlamaModel>;
}

interface LlamaModel {
  createContext(options: Readonly<Record<string, unknown>>): Promise<LlamaContext>;
}

interface LlamaContext {
  getSequence(): LlamaSequence;
}

interface LlamaSequence {
  evaluate(
    tokens: readonly number[],
    options: { readonly temperature: number; readonly yieldEogToken: boolean },
  ): AsyncIterable<number>;
  clearHistory(): Promise<void>;
}

export async function llamaDecode(setup: LlamaSetup): Promise<PeerDecode> {
  const { threads, eosTokenIds } = setup;
  const entry = join(setup.packageFolder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as LlamaPackage;
  // Only the prebuilt binary: neither compile nor download anything.
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: threads });
  const model = await llama.loadModel({ modelPath: setup.modelFile });
  const context = await model.createContext({
    contextSize: setup.contextTokens,
    threads,
    flashAttention: false,
    experimentalKvCacheKeyType: setup.cacheType,
    experimentalKvCacheValueType: setup.cacheType,
  });
  const sequence = context.getSequence();
  return async function* ({ promptIds, maxTokens }) {
    let emitted = 0;
    // llama.cpp also ends at other special tokens, so the end of an output is decided here.
    for await (const token of sequence.evaluate(promptIds, { temperature: 0, yieldEogToken: true })) {
      emitted += 1;
      yield [token];
      if (emitted === maxTokens || eosTokenIds.includes(token)) break;
    }
    await sequence.clearHistory();
  };
}
