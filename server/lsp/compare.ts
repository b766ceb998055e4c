// Reruns the last prompt plainly and with drafts, so that the speed-up that is shown is one that was measured.
import { ResponseError, LSPErrorCodes } from 'vscode-languageserver/node';
import type { CompareResult, ServerSettings, StatsRow } from '../protocol';
import type { History } from './history';
import type { LoadedModel } from './loadedModel';
import type { ModelHost } from './modelHost';
import { RecordingDecoder } from './recordingDecoder';
import type { RecordedDecode } from './statsRow';

export async function compare(
  host: ModelHost,
  history: History,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<CompareResult> {
  return await host.use((model) => host.busy(() => compared(model, history, settings, signal)));
}

async function compared(
  model: LoadedModel | undefined,
  history: History,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<CompareResult> {
  if (model === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, 'Expected a loaded model, got none; see the status');
  }
  const promptIds = history.lastPromptIds(model.pair);
  if (promptIds === undefined) {
    throw new ResponseError(
      LSPErrorCodes.RequestFailed,
      'Expected an earlier request, got none; complete something first',
    );
  }
  const decoder = (draftLength: ServerSettings['draftLength']): RecordingDecoder =>
    new RecordingDecoder(model, { kind: 'generate', draftLength, fresh: true });
  const run = async (how: RecordingDecoder): Promise<RecordedDecode> => {
    const limits = { maxTokens: settings.maxSuggestionTokens, stopStrings: [], signal };
    for await (const { text } of how.decode(promptIds, limits)) void text;
    const [decode] = how.decodes;
    if (decode === undefined) throw new Error('Expected a decode to be recorded');
    // Two halves of an output say nothing about the whole.
    if (signal.aborted || decode.stats.finishReason === 'superseded')
      throw new ResponseError(LSPErrorCodes.RequestCancelled, 'The comparison was broken off');
    return decode;
  };
  // Once unmeasured, so that neither side pays for buffers and compiled code.
  await run(decoder(0));
  const speculating = decoder(settings.draftLength === 0 ? 'adaptive' : settings.draftLength);
  const drafted = await run(speculating);
  const plain = await run(decoder(0));
  const row = (decode: RecordedDecode): StatsRow => {
    const label = { kind: 'compare', file: '', outcome: decode.stats.finishReason } as const;
    return history.record(label, decode, (token) => speculating.tokenizer.decode([token]));
  };
  const identical = plain.tokenIds.join() === drafted.tokenIds.join();
  return { speculative: row(drafted), plain: row(plain), identical };
}
