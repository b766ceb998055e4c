// Reads a known text with a target, row by row or in blocks of which some rows are taken back, as rounds do with their
// drafts, and tells what the target says after each token. What it says does not change the text, so that one token
// that differs does not make others differ.
import { DecodeMemory } from '../engine/decodeMemory';
import { commit, verify } from '../engine/round';
import { Stopwatch } from '../engine/roundStart';
import { greedySampler } from '../engine/sampling/greedySampler';
import type { Sampler } from '../engine/sampling/sampler';
import { giveTurns } from '../models/memory';
import * as mx from '../models/ops';
import type { TargetModel } from '../models/target';

/** Read in the first pass. */
const PROMPT_TOKENS = 40;

/** Rows of a pass, and how many of the tokens in it are right. */
type Block = readonly [rows: number, right: number];

export const SINGLE_ROWS: readonly Block[] = [[1, 1]];
/** All right, few right, and none but the first, in passes of all widths. */
export const DRAFTED_ROWS: readonly Block[] = [
  [8, 8],
  [16, 5],
  [4, 1],
  [2, 2],
  [8, 3],
];
const MOST_ROWS = 16;

/** The logits after each token of the text, from the last one of the prompt on, [vocabSize] each. */
export async function readText(
  target: TargetModel,
  text: readonly number[],
  blocks: readonly Block[],
): Promise<number[][]> {
  const memory = DecodeMemory.empty(target, [], text.length + MOST_ROWS);
  const { vocabSize } = target.config;
  const said: number[][] = [];
  try {
    for (let pass = 0; memory.length < text.length; pass++) {
      const from = memory.length;
      const unread = text.slice(from, Math.max(PROMPT_TOKENS, from + 1));
      const behind = text.slice(from + unread.length);
      const [rows, wanted] = pass === 0 ? [1, 1] : (blocks[(pass - 1) % blocks.length] ?? [1, 1]);
      const right = Math.min(wanted, behind.length + 1);
      const drafts = Array.from({ length: rows - 1 }, (_, i) => {
        const token = behind[i] ?? 0;
        return i < right - 1 ? token : (token + 1) % vocabSize;
      });
      const sampler = listening(vocabSize);
      const at = { history: text.slice(0, from + unread.length), position: 0 };
      const start = { memory, unread, sampler, at, watch: new Stopwatch() };
      const verified = await verify(start, { tokens: drafts });
      verified.judged.read();
      said.push(...sampler.heard.slice(0, right));
      commit(start, verified, right);
      await giveTurns();
    }
    return said;
  } finally {
    memory.dispose();
  }
}

/** The logits [vocabSize] after a text, which is read in one pass. */
export async function logitsAfter(target: TargetModel, text: readonly number[]): Promise<number[]> {
  const memory = DecodeMemory.empty(target, [], text.length);
  const sampler = listening(target.config.vocabSize);
  try {
    const at = { history: text, position: 0 };
    const start = { memory, unread: text, sampler, at, watch: new Stopwatch() };
    const verified = await verify(start, { tokens: [] });
    verified.judged.read();
    commit(start, verified, 1);
    return sampler.heard[0] ?? [];
  } finally {
    memory.dispose();
  }
}

/** Hears the logits of each row. */
function listening(vocabSize: number): Sampler & { readonly heard: readonly number[][] } {
  let heard: number[][] = [];
  return {
    ...greedySampler,
    judge(logits) {
      const values = mx.reshape(logits, -1, vocabSize);
      return {
        arrays: { values },
        read: () => {
          heard = mx.rows(values);
          return { tokenAt: () => 0 };
        },
      };
    },
    get heard() {
      return heard;
    },
  };
}
