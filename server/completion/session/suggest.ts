// Answers a request for suggestions: with a recent suggestion if one fits, otherwise with a decode.
import { isEntryVisible } from '../prompt/selectedEntry';
import { hasConflict } from '../suggestion/cutConflictMarkers';
import { isFiller } from '../suggestion/fillers';
import { isBeforeString } from '../suggestion/keepStringsWhole';
import { isBeforeWord } from '../suggestion/keepWordsWhole';
import { SuggestionDecode } from './suggestionDecode';
import type { RecentMatch, RecentSuggestions } from './recent';
import type { SuggestionRequest, SuggestResult, SuggestionResources } from './suggestionRequest';
import { presented } from './suggestions';

/** Returns suggestions for a cursor, with an outcome also when the signal aborts. Rejects if the model fails. */
export async function suggest(
  request: SuggestionRequest,
  resources: SuggestionResources,
): Promise<SuggestResult> {
  const { context, trigger, settings, signal } = request;
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  if (isHopeless(request)) return { outcome: 'skipped', texts: [] };
  const recent = recentTexts(request, resources.recent);
  if (recent) return { outcome: 'shown', ...recent, texts: presented(recent.texts, context) };
  if (trigger === 'automatic') await resources.settle(settings.debounceMs, signal);
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  const result = await new SuggestionDecode(request, resources).run();
  return { ...result, texts: presented(result.texts, context) };
}

/**
 * Returns whether VS Code would show nothing at this cursor. An automatic request is also hopeless before the rest of a
 * word or a string, and in a merge conflict.
 */
function isHopeless({ context, trigger }: SuggestionRequest): boolean {
  if (!isEntryVisible(context)) return true;
  if (trigger === 'explicit') return false;
  return isBeforeWord(context) || isBeforeString(context) || hasConflict(context);
}

/** Returns texts of a recent suggestion that answer the request; undefined without any. */
function recentTexts(
  { context, trigger }: SuggestionRequest,
  recent: RecentSuggestions,
): RecentMatch | undefined {
  const match = recent.match(context);
  if (match === undefined) return undefined;
  // An explicit request wants alternatives, so one text is not enough.
  if (trigger === 'explicit') return match.texts.length > 1 ? match : undefined;
  const [first = ''] = match.texts;
  // An explicit request can have found a filler, which an automatic one must not show.
  return isFiller(first, context) ? undefined : { ...match, texts: [first] };
}
