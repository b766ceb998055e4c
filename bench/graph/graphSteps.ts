// Plain steps of one network as the engine makes them, one after the other from the same context, and what they take
// of JavaScript. A GPU's steps are built and freed but not computed: their graph is what counts.
import { accept } from '../../server/engine/accept';
import { DecodeMemory } from '../../server/engine/decodeMemory';
import { NO_DRAFT } from '../../server/engine/draft';
import { commit, verify } from '../../server/engine/round';
import { Stopwatch } from '../../server/engine/roundStart';
import { greedySampler } from '../../server/engine/sampling/greedySampler';
import { core } from '../../server/models/binding';
import { dispose, giveTurns, scope, settle } from '../../server/models/memory';
import { loadTarget } from '../../server/models/registry';
import type { TargetModel } from '../../server/models/target';
import { tokenArray } from '../../server/models/tokenArray';
import type { Device } from '../../server/models/device';

/** Whose code builds the graph. */
export const PATHS = ['gpu', 'cpu'] as const;
export type Path = (typeof PATHS)[number];

/** Milliseconds of one step, or of a median one. */
export interface StepTimes {
  readonly buildMs: number;
  /** What is left: freeing arrays, and the turns in which finalizers run. */
  readonly freeMs: number;
}

/** More rows than are compiled, so that they can be computed here. */
const CONTEXT_TOKENS = 64;
/** After the first, whose memory is not yet that of a decode. */
export const STEPS = 4;

/** Packed products as on a GPU, but float32, in which a CPU can read the context. */
const DEVICES: Readonly<Record<Path, Device>> = {
  gpu: { name: 'gpu', dtype: core.float32, keepsQuantised: true },
  cpu: { name: 'cpu', dtype: core.float32, keepsQuantised: false },
};

export class GraphSteps {
  private constructor(
    private readonly target: TargetModel,
    private readonly memory: DecodeMemory,
    private readonly path: Path,
  ) {}

  /** Reads a context. */
  static async load(folder: string, path: Path): Promise<GraphSteps> {
    const target = await loadTarget(folder, DEVICES[path]);
    const memory = DecodeMemory.empty(target, [], CONTEXT_TOKENS + STEPS + 1);
    const tokens = Array.from({ length: CONTEXT_TOKENS }, (_, i) => (i * 7919) % target.config.vocabSize);
    const hidden = scope(
      () => target.forward(tokenArray(tokens, target.config.vocabSize), memory.caches, []).hidden,
    );
    await settle(hidden, memory.arrays());
    dispose(hidden);
    return new GraphSteps(target, memory, path);
  }

  /** Some steps, each of which `observe` is told about. */
  async run(observe: (step: StepTimes) => void): Promise<void> {
    const memory = this.memory.fork(CONTEXT_TOKENS, CONTEXT_TOKENS + STEPS + 1);
    await settle(memory.arrays());
    const evaluation = replaceEvaluation(this.path);
    try {
      let token = 1;
      for (let step = 0; step <= STEPS; step++) {
        evaluation.ms = 0;
        const startedAt = performance.now();
        const watch = new Stopwatch();
        const at = { history: [token], position: step };
        const start = { memory, unread: [token], sampler: greedySampler, at, watch };
        const verified = await verify(start, NO_DRAFT);
        if (this.path === 'cpu') [token = 0] = accept([], verified.judged.read().tokenAt).tokens;
        commit(start, verified, 1);
        await giveTurns();
        const elapsed = performance.now() - startedAt;
        if (step > 0) observe({ buildMs: watch.buildMs, freeMs: elapsed - watch.buildMs - evaluation.ms });
      }
    } finally {
      evaluation.restore();
      memory.dispose();
    }
    await giveTurns();
  }

  dispose(): void {
    this.memory.dispose();
    this.target.dispose();
  }
}

/** Measures the evaluations of a CPU, and leaves out those of a GPU. */
function replaceEvaluation(path: Path) {
  const { eval: evaluate, asyncEval } = core;
  const evaluation = { ms: 0, restore: () => void Object.assign(core, { eval: evaluate, asyncEval }) };
  const timed: typeof evaluate = (...arrays) => {
    const startedAt = performance.now();
    evaluate(...(path === 'cpu' ? arrays : []));
    evaluation.ms += performance.now() - startedAt;
  };
  // Parts of a pass begin while the rest is built.
  Object.assign(core, { eval: timed, ...(path === 'gpu' && { asyncEval: () => undefined }) });
  return evaluation;
}
