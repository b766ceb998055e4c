// A peer that lives in a child process and answers one request at a time.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Peer, PeerAnswer, PeerRequest, PeerSetup } from './peer';

export interface PeerProcessOptions {
  readonly name: string;
  readonly weights: string;
  /** The compiled worker.ts. */
  readonly worker: string;
  readonly setup: PeerSetup;
}

export class PeerProcess implements Peer {
  readonly name: string;
  readonly weights: string;
  readonly #child: ChildProcess;

  private constructor({ name, weights, worker, setup }: PeerProcessOptions) {
    this.name = name;
    this.weights = weights;
    this.#child = fork(worker, [JSON.stringify(setup)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** Resolves once the peer is loaded; rejects when its process ends instead. */
  static async start(options: PeerProcessOptions): Promise<PeerProcess> {
    const peer = new PeerProcess(options);
    await peer.#message();
    return peer;
  }

  async ask(request: PeerRequest): Promise<PeerAnswer> {
    // A send to a process that has ended fails; #message says so in words.
    this.#child.send(request, () => undefined);
    return (await this.#message()) as PeerAnswer;
  }

  stop(): void {
    this.#child.kill();
  }

  async #message(): Promise<unknown> {
    const child = this.#child;
    const settled = new AbortController();
    const { signal } = settled;
    try {
      if (child.exitCode !== null || child.signalCode !== null) throw this.#ended();
      const exit = once(child, 'exit', { signal }).then(() => {
        throw this.#ended();
      });
      const [message] = (await Promise.race([once(child, 'message', { signal }), exit])) as unknown[];
      return message;
    } finally {
      settled.abort();
    }
  }

  #ended(): Error {
    const { exitCode, signalCode } = this.#child;
    return new Error(
      `Expected ${this.name} to answer, got the end of its process (${String(signalCode ?? exitCode)}); see what it wrote above`,
    );
  }
}
