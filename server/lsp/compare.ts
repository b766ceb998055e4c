// Handles flashline/compare: decodes the last prompt again, with and without drafts, to measure the speed-up.
import { ResponseError, LSPErrorCodes } from 'vscode-languageserver/node';
import { nearTieGap } from '../rules/nearTieGap';
import type { CompareDifference, CompareResult, ServerSettings, StatsRow } from '../protocol/messages';
import type { History, RecordedDecode } from '../hosting/history';
import type { ServedEngine, Model } from '../hosting/model';
import { RecordingDecoder } from '../hosting/recordingDecoder';
import { NO_MODEL, refused } from './refusal';

/**
 * Decodes the last prompt with and without drafts, and compares speed and text. Refuses the request without a
 * model in this process, or without an earlier prompt. Rejects with RequestCancelled if a decode is cut short.
 */
export async function compare(
  model: Model | undefined,
  history: History,
  { maxSuggestionTokens, draftLength }: ServerSettings,
  signal: AbortSignal,
): Promise<CompareResult> {
  if (model === undefined) throw refused(NO_MODEL);
  if (model.engine.remote)
    throw refused(
      'The drafts of a remote engine cannot be turned off. Clear flashline.remote.url to compare locally.',
    );
  const promptIds = history.lastPromptIds(model.pair);
  if (promptIds === undefined)
    throw refused('There is no request to compare yet. Request a suggestion first.');
  const limits = { maxTokens: maxSuggestionTokens, stopStrings: [], signal };
  const run = async (length: ServerSettings['draftLength']): Promise<RecordedDecode> => {
    const decoder = new RecordingDecoder(model, { kind: 'generate', draftLength: length, fresh: true });
    for await (const { text } of decoder.decode(promptIds, limits)) void text;
    const [decode] = decoder.decodes;
    if (decode === undefined) throw new Error('No decode was recorded.');
    // Incomplete outputs cannot be compared.
    if (signal.aborted || decode.stats.finishReason === 'superseded')
      throw new ResponseError(LSPErrorCodes.RequestCancelled, 'The comparison was cancelled');
    return decode;
  };
  // Warm-up runs, so that neither measurement includes allocating buffers and compiling code. With drafts on, the
  // earlier decode of the prompt has usually warmed them up.
  await run(0);
  if (draftLength === 0) await run('adaptive');
  const drafted = await run(draftLength === 0 ? 'adaptive' : draftLength);
  const plain = await run(0);
  const row = (decode: RecordedDecode): StatsRow => {
    const label = { kind: 'compare', file: '', outcome: decode.stats.finishReason } as const;
    return history.record(label, decode, (token) => model.engine.tokenizer?.decode([token]) ?? '');
  };
  const rows = { speculative: row(drafted), plain: row(plain) };
  const difference = await differenceOf(model.engine, promptIds, [plain, drafted], signal);
  return { ...rows, identical: difference === undefined, ...(difference && { difference }) };
}

/** Number of most probable tokens to request: enough to include both tokens of a tie. */
const TIED_TOKENS = 20;

/**
 * Returns the first difference between two outputs; undefined if there is none. It is a near tie if the target's logits
 * of both tokens differ by less than the gap allowed for its number type.
 */
async function differenceOf(
  engine: ServedEngine,
  promptIds: readonly number[],
  [plain, drafted]: readonly [RecordedDecode, RecordedDecode],
  signal: AbortSignal,
): Promise<CompareDifference | undefined> {
  const plainIds = plain.tokenIds ?? [];
  const draftedIds = drafted.tokenIds ?? [];
  const length = Math.max(plainIds.length, draftedIds.length);
  const position = Array.from({ length }).findIndex((_, i) => plainIds[i] !== draftedIds[i]);
  if (position < 0) return undefined;
  const sharedIds = [...promptIds, ...plainIds.slice(0, position)];
  const sampling = { logprobs: TIED_TOKENS };
  const { logprobs = [] } = await engine
    .decode(sharedIds, { kind: 'generate', maxTokens: 1, draftLength: 0, sampling, signal })
    .finish();
  const [plainToken, draftedToken] = [plainIds, draftedIds].map((ids) =>
    logprobs[0]?.top.find(({ token }) => token === ids[position]),
  );
  const logitGap = plainToken && draftedToken ? Math.abs(plainToken.logprob - draftedToken.logprob) : null;
  const nearTie = logitGap !== null && logitGap < nearTieGap(engine.numberType);
  return { position, logitGap, nearTie };
}
