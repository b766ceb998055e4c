// From a cursor to ghost text: what is known already, else a decode that ends where syntax says, cleaned by the
// filters. Expected endings are outcomes, never errors.
import type { CompletionContext } from './context';
import type { Decoder } from './decoder';
import { filtered } from './filters/list';
import { selectedItem } from './filters/selectedItem';
import { healedPieces } from './healedPieces';
import { snippetBudget } from './prompt';
import type { RecentSuggestions } from './recent';
import type { Settle } from './settle';
import type { Snippet } from './snippets';
import { StopRule } from './stop';
import { width, type Multiline, type Width } from './width';

export interface Suggestion {
  /** With the document's line ends. Replaces the document from `start` to `end`, the cursor. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface SuggestResult {
  /** skipped: nothing was asked of the model, as nothing good can come at such a cursor. */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'cancelled' | 'skipped';
  readonly source: 'recent' | 'model';
  /** One for an automatic request, up to three otherwise; empty unless shown. */
  readonly suggestions: readonly Suggestion[];
}

export interface SuggestRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: SuggestSettings;
  readonly signal: AbortSignal;
}

export interface SuggestSettings {
  readonly maxSuggestionTokens: number;
  readonly multiline: Multiline;
  readonly debounceMs: number;
  /** Most tokens of a prompt, as reading it takes time. */
  readonly maxPromptTokens?: number;
}

export interface SuggestTools {
  readonly decoder: Decoder;
  readonly recent: RecentSuggestions;
  readonly settle: Settle;
  /** At most so many characters of other documents. */
  readonly snippets?: (budget: number) => readonly Snippet[];
  /** Tokens of the document, of which the prompt may hold only a part. */
  readonly related?: () => readonly number[];
}

const MAX_PROMPT_TOKENS = 1024;

export async function suggest(request: SuggestRequest, tools: SuggestTools): Promise<SuggestResult> {
  const { context, trigger, settings, signal } = request;
  if (signal.aborted) return without('cancelled', 'recent');
  if (isHopeless(request)) return without('skipped', 'recent');
  const known = reused(request, tools.recent);
  if (known.length > 0) return shown(known, context, 'recent');
  if (trigger === 'automatic') await tools.settle(settings.debounceMs, signal);
  if (signal.aborted) return without('cancelled', 'recent');
  const { output, cuts } = await decoded(request, tools);
  if (signal.aborted) return without('cancelled', 'model');
  if (output.trim() === '') return without('empty', 'model');
  const texts = different(cuts.map((text) => filtered(text, context)));
  if (texts.length === 0) return without('filtered', 'model');
  tools.recent.remember(context, texts);
  return shown(texts, context, 'model');
}

/** In the middle of a word, or where VS Code would not show anything. */
function isHopeless({ context, trigger }: SuggestRequest): boolean {
  if (selectedItem('x', context) === '') return true;
  return trigger === 'automatic' && /^[\p{L}\p{N}_$]/u.test(context.lineAfter);
}

function reused({ context, trigger }: SuggestRequest, recent: RecentSuggestions): readonly string[] {
  const match = recent.match(context);
  if (match === undefined) return [];
  const { texts, sameSuffix } = match;
  const fitting = sameSuffix ? texts : different(texts.map((text) => filtered(text, context)));
  if (trigger === 'automatic') return fitting.slice(0, 1);
  // Who asks for alternatives is not served by the one that is there.
  return fitting.length > 1 ? fitting : [];
}

/** The output, and what it is when it is cut at each of the widths asked for. */
async function decoded(
  { context, trigger, settings, signal }: SuggestRequest,
  { decoder, snippets, related }: SuggestTools,
): Promise<{ readonly output: string; readonly cuts: readonly string[] }> {
  const room = Math.max(decoder.contextTokens - settings.maxSuggestionTokens, decoder.contextTokens >> 1);
  const budget = Math.min(room, settings.maxPromptTokens ?? MAX_PROMPT_TOKENS);
  const maxTokens = Math.min(settings.maxSuggestionTokens, decoder.contextTokens - budget);
  const rules = widths(context, trigger, settings.multiline).map((each) => new StopRule(context, each));
  const request = {
    context,
    snippets: snippets?.(snippetBudget(budget)) ?? [],
    budget,
    maxTokens,
    signal,
    ...(related && { related: related() }),
  };
  let text = '';
  for await (const piece of healedPieces(request, decoder)) {
    text += piece;
    if (rules.map((rule) => rule.push(piece)).every((cut) => cut !== undefined)) break;
  }
  const complete = wholeLines(text, decoder.encodeText(text).length >= maxTokens - 1);
  const cuts = rules.map((rule) => text.slice(0, rule.push('') ?? Math.min(rule.finish(), complete)));
  return { output: text, cuts };
}

/** A block that the token limit has cut ends with its last whole line. */
function wholeLines(text: string, limited: boolean): number {
  const end = text.lastIndexOf('\n');
  return limited && end >= 0 && text.slice(0, end).trim() !== '' ? end : text.length;
}

function widths(
  context: CompletionContext,
  trigger: SuggestRequest['trigger'],
  multiline: Multiline,
): readonly Width[] {
  const wanted = width(context, multiline);
  if (trigger === 'automatic') return [wanted];
  return [...new Set([wanted, width(context, 'never'), width(context, 'always')])];
}

function shown(
  texts: readonly string[],
  context: CompletionContext,
  source: SuggestResult['source'],
): SuggestResult {
  const { offset, selected, eol } = context;
  const suggestions = texts.map((text) => ({
    text: selectedItem(text, context).replaceAll('\n', eol),
    start: selected?.start ?? offset,
    end: offset,
  }));
  return { outcome: 'shown', source, suggestions };
}

function without(outcome: SuggestResult['outcome'], source: SuggestResult['source']): SuggestResult {
  return { outcome, source, suggestions: [] };
}

function different(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}
