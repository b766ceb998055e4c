// Recognises models in formats that Flashline does not read, so that errors help more than "no such file".
import { readdirSync } from 'node:fs';
import type { Mismatch } from '../../rules/userError';

type Found = Pick<Mismatch, 'got' | 'remedy' | 'command'>;

const CHOOSE = 'choose the same model as *.safetensors';
/** Files by which a format is recognised, and the error fields for it. */
const FORMATS: readonly (readonly [name: RegExp, found: Found])[] = [
  [
    /^snapshots$/,
    {
      got: 'a repository of the model cache',
      remedy: 'give its name, such as Qwen/Qwen3-4B, or a folder in snapshots',
    },
  ],
  [
    /^adapter_(?:config|model)/i,
    { got: 'an adapter without its model', remedy: 'fuse it with the model first (mlx_lm.fuse)' },
  ],
  [
    /\.gguf$/i,
    {
      got: 'a GGUF file',
      remedy: `${CHOOSE}, or use it with llama.cpp`,
      command: '--remote llama-server',
    },
  ],
  // Not optimizer.pt and training_args.bin, which training leaves beside a model of any format.
  [
    /^(?:pytorch_model|model|consolidated|weights).*\.(?:bin|pth?|ckpt)$/i,
    { got: 'PyTorch files', remedy: CHOOSE },
  ],
  [/\.(?:onnx|h5|msgpack|npz)$/i, { got: 'weights in another format', remedy: CHOOSE }],
];

/** Returns what a folder has in place of a config.json or weights, and the remedy; undefined if it is unknown. */
export function foundInstead(directory: string): Found | undefined {
  const names = namesIn(directory);
  return FORMATS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
}

/** Lists a folder. Returns no names if that fails, as they only improve an error. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
