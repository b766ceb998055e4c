// Converts the experts of a checkpoint to the other layouts that are published: one tensor per expert becomes one for
// all experts. Moves names and bytes only.
import type { FileTensor } from './fileTensor';
import type { Checkpoint } from './tinyCheckpoint';

/** mlx-lm stacks the experts of each projection under `switch_mlp`; newer transformers also fuses gate and up. */
export type ExpertLayout = 'single' | 'stacked' | 'fused';

const SINGLE = /^(.*\.mlp)\.experts\.(\d+)\.(gate_proj|up_proj|down_proj)\.weight$/;

/** Converts `checkpoint`, which has one tensor per expert, to another layout. */
export function inExpertLayout(checkpoint: Checkpoint, layout: ExpertLayout): Checkpoint {
  if (layout === 'single') return checkpoint;
  const tensors: Record<string, FileTensor> = {};
  const stacks = new Map<string, FileTensor[]>();
  for (const [name, tensor] of Object.entries(checkpoint.tensors)) {
    const [, path, expert, projection] = SINGLE.exec(name) ?? [];
    if (path === undefined || projection === undefined) {
      tensors[name] = tensor;
      continue;
    }
    const stacked = `${path}.switch_mlp.${projection}.weight`;
    const fused = `${path}.experts.${projection === 'down_proj' ? projection : 'gate_up_proj'}`;
    const key = layout === 'stacked' ? stacked : fused;
    const stack = stacks.get(key) ?? [];
    stacks.set(key, stack);
    const index = key.endsWith('gate_up_proj')
      ? 2 * Number(expert) + Number(projection === 'up_proj')
      : Number(expert);
    stack[index] = tensor;
  }
  for (const [name, parts] of stacks) {
    const [rows = 0, columns = 0] = parts[0]?.shape ?? [];
    const perExpert = name.endsWith('gate_up_proj') ? 2 : 1;
    tensors[name] = {
      dtype: parts[0]?.dtype ?? '',
      shape: [parts.length / perExpert, perExpert * rows, columns],
      bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    };
  }
  return { ...checkpoint, tensors };
}
