// Requests to a peer, and its answers. Plain data, because each peer runs in its own process: two native runtimes in
// one would fight for threads, and their memory could not be told apart.

/** What a process needs to become a peer. */
export type PeerSetup = FlashlineSetup | LlamaSetup;

export interface FlashlineSetup {
  readonly runtime: 'flashline';
  /** 0 loads no drafter. */
  readonly draftLength: number | 'adaptive';
}

export interface LlamaSetup {
  readonly runtime: 'llama.cpp';
  /** Where node-llama-cpp is installed. */
  readonly packageFolder: string;
  readonly modelFile: string;
  /** llama.cpp's name of the number format of keys and values. */
  readonly cacheType: 'F32' | 'F16';
  /** Tokens of the longest prompt with its output. */
  readonly contextTokens: number;
  readonly threads: number;
  readonly eosTokenIds: readonly number[];
}

/** One greedy decode, starting with empty caches. */
export interface PeerRequest {
  readonly promptIds: readonly number[];
  /** Maximum number of tokens to emit, the end token included. */
  readonly maxTokens: number;
}

export interface PeerAnswer {
  readonly tokenIds: readonly number[];
  /** From the request to its first token. */
  readonly firstTokenMs: number;
  /** From the first token to the last. */
  readonly decodeMs: number;
  /** Peak memory of the peer's process, loading included. */
  readonly peakBytes: number;
}

export interface Peer {
  readonly name: string;
  /** The number format of its weights in memory. */
  readonly weights: string;
  ask(request: PeerRequest): Promise<PeerAnswer>;
}

/** Yields committed tokens as they come. */
export type PeerDecode = (request: PeerRequest) => AsyncIterable<readonly number[]>;
