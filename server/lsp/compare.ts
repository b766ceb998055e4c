// Reruns the last prompt plainly and with drafts, so that the speed-up shown is a measured one.
import { ResponseError, LSPErrorCodes } from 'vscode-languageserver/node';
import type { CompareResult, ServerSettings, StatsRow } from '../protocol';
import type { History, RecordedDecode } from './history';
import type { UsableModel } from './loadedModel';
import { RecordingDecoder } from './recordingDecoder';
import { refused } from './requestSignal';

/** Refuses the request if there is no model, or no earlier request to compare. */
export async function compare(
  model: UsableModel | undefined,
  history: History,
  { maxSuggestionTokens, draftLength }: ServerSettings,
  signal: AbortSignal,
): Promise<CompareResult> {
  if (model === undefined) throw refused('Expected a loaded model, got none; see the status');
  if (model.engine.remote)
    throw refused('Expected a model in this process, got a remote engine; its drafts cannot be turned off');
  const promptIds = history.lastPromptIds(model.pair);
  if (promptIds === undefined)
    throw refused('Expected an earlier request, got none; request a suggestion first');
  const limits = { maxTokens: maxSuggestionTokens, stopStrings: [], signal };
  const run = async (length: ServerSettings['draftLength']): Promise<RecordedDecode> => {
    const decoder = new RecordingDecoder(model, { kind: 'generate', draftLength: length, fresh: true });
    for await (const { text } of decoder.decode(promptIds, limits)) void text;
    const [decode] = decoder.decodes;
    if (decode === undefined) throw new Error('Expected a decode to be recorded');
    // Comparing incomplete outputs would say nothing.
    if (signal.aborted || decode.stats.finishReason === 'superseded')
      throw new ResponseError(LSPErrorCodes.RequestCancelled, 'The comparison was cancelled');
    return decode;
  };
  // A warm-up run, so that neither side pays for buffers and compiled code.
  await run(0);
  const drafted = await run(draftLength === 0 ? 'adaptive' : draftLength);
  const plain = await run(0);
  const row = (decode: RecordedDecode): StatsRow => {
    const label = { kind: 'compare', file: '', outcome: decode.stats.finishReason } as const;
    return history.record(label, decode, (token) => model.engine.tokenizer?.decode([token]) ?? '');
  };
  const identical = String(plain.tokenIds) === String(drafted.tokenIds);
  return { speculative: row(drafted), plain: row(plain), identical };
}
