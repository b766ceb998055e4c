// What a server's /metrics tell about speculation: totals of all its users since it started, which no difference could
// attribute to one request. Knows the names that vLLM, llama.cpp, SGLang and `flashline serve` use.
import type { ServerTotals } from '../protocol/messages';

const DRAFTS = /^(vllm|llamacpp):spec_decode_num_drafts(_total)?$/;
const DRAFTED = /^((vllm|llamacpp):spec_decode_num_draft_tokens(_total)?|flashline_drafted_tokens_total)$/;
const ACCEPTED =
  /^((vllm|llamacpp):spec_decode_num_accepted_tokens(_total)?|flashline_accepted_tokens_total)$/;
/** SGLang has the mean only. */
const LENGTH = /^sglang[:_]spec_accept_length$/;
const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{.*\})?\s+(\S+)/;

/** From Prometheus text; undefined if nothing in it is about speculation. */
export function serverTotals(text: string): ServerTotals | undefined {
  const samples = text.split('\n').flatMap((line) => {
    const [, name = '', value] = SAMPLE.exec(line) ?? [];
    return Number.isFinite(Number(value)) ? [{ name, value: Number(value) }] : [];
  });
  const values = (wanted: RegExp): readonly number[] =>
    samples.filter(({ name }) => wanted.test(name)).map(({ value }) => value);
  const sum = (wanted: RegExp): number | null => {
    const all = values(wanted);
    return all.length === 0 ? null : all.reduce((total, each) => total + each, 0);
  };
  const [drafts, draftedTokens, acceptedTokens] = [sum(DRAFTS), sum(DRAFTED), sum(ACCEPTED)];
  const tokensPerRound =
    drafts && acceptedTokens !== null ? 1 + acceptedTokens / drafts : (values(LENGTH)[0] ?? null);
  if (draftedTokens === null && tokensPerRound === null) return undefined;
  return { draftedTokens, acceptedTokens, tokensPerRound };
}
