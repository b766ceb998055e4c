// Requests a suggestion at each hole like the editor during typing, with only imported files as context: the same
// prompt, budget, healing, stop rules and filters. Does not judge answers.
import { basename } from 'node:path';
import { languageIdOf } from '../replay/sources';
import { completionContext } from '../../server/completion/prompt/context';
import { RecentSuggestions } from '../../server/completion/session/recent';
import { SessionDocuments } from '../../server/completion/session/sessionDocuments';
import { settle } from '../../server/completion/session/settle';
import { suggest } from '../../server/completion/session/suggest';
import type { SuggestResult } from '../../server/completion/session/suggestionRequest';
import type { DraftLength } from '../../server/engine/decode/decode';
import { type ServedEngine, createModel } from '../../server/hosting/model';
import { RecordingDecoder } from '../../server/hosting/recordingDecoder';
import { DEFAULT_SETTINGS } from '../../server/hosting/settings';
import type { Hole } from './holes';
import type { RecordedDecodes } from '../typing/recordedDecodes';
import { importedDefinitions } from './importedDefinitions';

export interface Fill {
  readonly hole: Hole;
  /** Text that a user would see; empty if nothing is shown. */
  readonly text: string;
  readonly outcome: SuggestResult['outcome'];
  /** Step or rule that rejected the text. */
  readonly cause?: string | undefined;
  /** Estimated probability that a user keeps the text, from 0 to 1. */
  readonly keepProbability?: number | undefined;
  /** Rounds and their tokens, over all decodes for this hole; those taken from `recorded` do not count. */
  readonly rounds: number;
  readonly roundTokens: number;
}

export interface FillOptions {
  readonly draftLength: DraftLength;
  /** Threshold as in the setting `flashline.hideBelow`; by default nothing is hidden. */
  readonly hideBelow?: number;
  /** Earlier decodes to use instead of the engine where a prompt is the same. */
  readonly recorded?: RecordedDecodes | undefined;
  readonly signal: AbortSignal;
}

/** Yields fills in the order of the holes; ends early on abort. The engine must have a tokenizer. */
export async function* fillHoles(
  engine: ServedEngine,
  holes: readonly Hole[],
  { draftLength, hideBelow = 0, recorded, signal }: FillOptions,
): AsyncGenerator<Fill, void, undefined> {
  const pair = { engine, target: '', drafter: undefined };
  const model = { ...createModel('', pair), begin: () => () => undefined };
  for (const hole of holes) {
    const decoder = new RecordingDecoder(model, { kind: 'inline', draftLength, repetitionGuard: true });
    const recordedOrLive = recorded?.of(decoder) ?? decoder;
    const result = await suggestedAt(hole, recordedOrLive, { hideBelow, signal });
    if (signal.aborted) return;
    const total = (count: 'rounds' | 'roundTokens'): number =>
      decoder.decodes.reduce((sum, { stats }) => sum + (stats[count] ?? 0), 0);
    yield {
      hole,
      text: result.texts[0] ?? '',
      outcome: result.outcome,
      cause: result.cause,
      keepProbability: result.keepProbability,
      rounds: total('rounds'),
      roundTokens: total('roundTokens'),
    };
  }
}

async function suggestedAt(
  hole: Hole,
  decoder: RecordingDecoder,
  { hideBelow, signal }: Pick<Required<FillOptions>, 'hideBelow' | 'signal'>,
): Promise<SuggestResult> {
  const document = documentOf(hole);
  const context = completionContext(document, hole.start);
  const documents = new SessionDocuments();
  const definitions = importedDefinitions(hole.file, document.languageId, document.text);
  documents.define(document.uri, { definitions, above: [] });
  return await suggest(
    { context, trigger: 'automatic', settings: { ...DEFAULT_SETTINGS, debounceMs: 0, hideBelow }, signal },
    {
      decoder,
      settle,
      // Start empty, so that no hole gets the suggestion of an earlier one.
      recent: new RecentSuggestions(),
      snippets: (budget) => documents.snippets(context, budget),
    },
  );
}

/** Returns the document without the removed text. */
export function documentOf({ path, source, start, end }: Hole) {
  return {
    uri: `file:///${path}`,
    fileName: basename(path),
    languageId: languageIdOf(path),
    text: source.slice(0, start) + source.slice(end),
  };
}
