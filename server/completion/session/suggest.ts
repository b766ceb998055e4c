// From a cursor to ghost text: a recent suggestion if one fits, otherwise a decode.
import type { CompletionContext } from '../prompt/context';
import { isEntryVisible } from '../prompt/selectedEntry';
import { hasConflict } from '../suggestion/cutConflictMarkers';
import { isFiller } from '../suggestion/fillers';
import { isBeforeString } from '../suggestion/keepStringsWhole';
import { isBeforeWord } from '../suggestion/keepWordsWhole';
import { SuggestionDecode, type FoundTexts } from './suggestionDecode';
import type { RecentSuggestions } from './recent';
import type { SuggestionRequest, SuggestResult, SuggestTools } from './suggestionRequest';
import { presented } from './suggestions';

/** Returns suggestions for a cursor; always an outcome, also when the signal aborts. Rejects if the model fails. */
export async function suggest(request: SuggestionRequest, tools: SuggestTools): Promise<SuggestResult> {
  const { context, trigger, settings, signal } = request;
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  if (isHopeless(request)) return { outcome: 'skipped', texts: [] };
  const recent = recentTexts(request, tools.recent);
  if (recent.texts.length > 0) return shown(recent, context);
  if (trigger === 'automatic') await tools.settle(settings.debounceMs, signal);
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  const found = await new SuggestionDecode(request, tools).run();
  return 'outcome' in found ? { ...found, texts: [] } : shown(found, context);
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

/** Returns texts of recent suggestions that answer the request. */
function recentTexts({ context, trigger }: SuggestionRequest, recent: RecentSuggestions): FoundTexts {
  const { texts = [], keepProbability } = recent.match(context) ?? {};
  // An explicit request can have found a filler, which an automatic one must not show.
  if (trigger === 'automatic')
    return { texts: texts.slice(0, 1).filter((text) => !isFiller(text, context)), keepProbability };
  // An explicit request wants alternatives, so one text is not enough.
  return { texts: texts.length > 1 ? texts : [], keepProbability };
}

function shown({ texts, keepProbability }: FoundTexts, context: CompletionContext): SuggestResult {
  const judged = keepProbability === undefined ? {} : { keepProbability };
  return { outcome: 'shown', texts: presented(texts, context), ...judged };
}
