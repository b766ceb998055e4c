// flashline/generate: an instruction and a place in a document in, streamed text out.
import { LSPErrorCodes, ProgressType, ResponseError, type Connection } from 'vscode-languageserver/node';
import type { TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { ineligibility } from '../completion/eligibility';
import { generate as generateText } from '../completion/generate';
import type { GenerateDelta, GenerateParams, GenerateResult, ServerSettings } from '../protocol';
import type { History } from './history';
import { snapshot } from './inlineCompletion';
import type { ModelHost } from './modelHost';
import { RecordingDecoder } from './recordingDecoder';

interface Parts {
  readonly connection: Connection;
  readonly documents: TextDocuments<TextDocument>;
  readonly host: ModelHost;
  readonly history: History;
}

/** Longer ones would be read for seconds on the thread that handles messages. */
const MAX_INSTRUCTION = 20_000;

const deltas = new ProgressType<GenerateDelta>();

/** Resolves with what was generated, also when it was cancelled. Rejects only for a request that cannot run. */
export async function generate(
  { connection, documents, host, history }: Parts,
  params: unknown,
  settings: ServerSettings,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const { uri, instruction, start, end, partialResultToken } = parseParams(params);
  const document = documents.get(uri);
  if (document === undefined) throw refused(`Expected an open document, got ${uri}; open it first`);
  const source = snapshot(document);
  if (end > source.text.length)
    throw refused(
      `Expected offsets up to ${String(source.text.length)}, got ${String(end)}; send them after the change`,
    );
  const reason = ineligibility(source);
  if (reason !== undefined)
    throw refused(`Expected a file that may enter a prompt, got a ${reason} file; choose another`);
  const model = await host.model();
  if (model === undefined) throw refused('Expected a loaded model, got none; see the status for the reason');
  const decoder = new RecordingDecoder(model, { kind: 'generate', draftLength: settings.draftLength });
  const request = {
    document: source,
    start,
    end,
    instruction,
    maxTokens: settings.maxGenerateTokens,
    signal,
  };
  let text = '';
  for await (const piece of generateText(request, decoder)) {
    text += piece;
    if (partialResultToken !== undefined)
      await connection.sendProgress(deltas, partialResultToken, { text: piece });
  }
  for (const decode of decoder.decodes) {
    const label = { kind: 'generate', file: source.fileName, outcome: decode.stats.finishReason } as const;
    history.record(label, decode, (token) => decoder.decodeText([token]));
  }
  const finishReason = decoder.decodes.at(-1)?.stats.finishReason ?? 'stop';
  return { text, finishReason: signal.aborted ? 'cancelled' : finishReason };
}

function parseParams(value: unknown): GenerateParams {
  const given: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null ? { ...value } : {};
  const { uri, instruction, start, end, partialResultToken: token } = given;
  if (
    typeof uri !== 'string' ||
    typeof instruction !== 'string' ||
    !isOffset(start) ||
    !isOffset(end) ||
    end < start
  ) {
    throw new ResponseError(
      LSPErrorCodes.RequestFailed,
      'Expected uri, instruction, start and end, got something else; send GenerateParams',
    );
  }
  if (instruction.length > MAX_INSTRUCTION) {
    throw refused(
      `Expected an instruction of at most ${String(MAX_INSTRUCTION)} characters, got ${String(instruction.length)}; shorten it`,
    );
  }
  const hasToken = typeof token === 'string' || typeof token === 'number';
  return { uri, instruction, start, end, ...(hasToken && { partialResultToken: token }) };
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function refused(message: string): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}
