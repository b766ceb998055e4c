// Reruns the last prompt plainly and with drafts, so that the speed-up that is shown is one that was measured.
import { ResponseError, LSPErrorCodes } from 'vscode-languageserver/node';
import type { CompareResult, ServerSettings, StatsRow } from '../protocol';
import type { History } from './history';
import type { ModelHost } from './modelHost';
import { RecordingDecoder } from './recordingDecoder';

export async function compare(
  host: ModelHost,
  history: History,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<CompareResult> {
  const promptIds = history.lastPromptIds;
  if (promptIds === undefined) {
    throw new ResponseError(
      LSPErrorCodes.RequestFailed,
      'Expected an earlier request, got none; complete something first',
    );
  }
  const model = await host.model();
  if (model === undefined) {
    throw new ResponseError(LSPErrorCodes.RequestFailed, 'Expected a loaded model, got none; see the status');
  }
  const run = async (draftLength: number | 'full'): Promise<{ row: StatsRow; tokens: string }> => {
    const decoder = new RecordingDecoder(model, { kind: 'generate', draftLength });
    const limits = { maxTokens: settings.maxSuggestionTokens, stopStrings: [], signal };
    for await (const { text } of decoder.decode(promptIds, limits)) void text;
    const [decode] = decoder.decodes;
    if (decode === undefined) throw new Error('Expected a decode to be recorded');
    const label = { kind: 'compare', file: '', outcome: decode.stats.finishReason } as const;
    const row = history.record(label, decode, (token) => decoder.decodeText([token]));
    return { row, tokens: decode.tokenIds.join() };
  };
  // Once unmeasured, so that neither side pays for buffers and compiled code.
  await run(0);
  const speculative = await run(settings.draftLength === 0 ? 'full' : settings.draftLength);
  const plain = await run(0);
  return { plain: plain.row, speculative: speculative.row, identical: plain.tokens === speculative.tokens };
}
