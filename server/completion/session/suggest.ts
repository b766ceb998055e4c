// From a cursor to ghost text: a known suggestion, else a decode that ends where the syntax says, cleaned by the
// filters. Expected endings are outcomes, never errors.
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerSettings } from '../../rules/serverSettings';
import type { CompletionContext } from '../prompt/context';
import type { DecodeLimits, Decoder } from '../decoder';
import { HealedOutput, type HealedRequest } from '../prompt/healedOutput';
import { healing } from '../prompt/healing';
import { isEntryVisible, withEntry } from '../prompt/selectedEntry';
import { replacedAfterCursor } from '../suggestion/replacedClosers';
import { cleanSuggestion } from '../suggestion/cleanSuggestion';
import { hasConflict } from '../suggestion/cutConflictMarkers';
import { isBeforeString } from '../suggestion/keepStringsWhole';
import { isBeforeWord } from '../suggestion/keepWordsWhole';
import { isFiller } from '../suggestion/fillers';
import { readCuts, GhostTextEnd, width, type Multiline, type Width } from '../suggestion/ghostTextEnd';
import { KeepJudge } from '../suggestion/keepJudge';
import { USUAL_PROMPT_TOKENS } from '../prompt/promptTokens';
import { completionPrompt, snippetBudget } from '../prompt/prompt';
import type { RecentSuggestions } from './recent';
import type { Snippet, SnippetBudget } from '../prompt/snippets';

export interface SuggestResult {
  /** skipped: the model was not used, as nothing good can come at such a cursor. */
  /** hidden: too unlikely to be kept, see `hideBelow`. */
  readonly outcome: 'shown' | 'empty' | 'filtered' | 'hidden' | 'cancelled' | 'skipped';
  /**
   * One for an automatic request, up to three otherwise; empty unless shown. With the document's line ends. They also
   * replace the selected item, if there is one.
   */
  readonly texts: readonly string[];
  /** Of the first one, where that was asked for and the engine tells. */
  readonly keepProbability?: number | undefined;
}

export interface Suggestion {
  readonly text: string;
  /** How many characters behind the cursor it replaces. */
  readonly behind: number;
  readonly keepProbability?: number | undefined;
}

export interface SuggestRequest {
  readonly context: CompletionContext;
  readonly trigger: 'automatic' | 'explicit';
  readonly settings: SuggestSettings;
  readonly signal: AbortSignal;
}

/** Without `alternatives`, only the most probable text is offered. */
export type SuggestSettings = Pick<ServerSettings, 'maxSuggestionTokens' | 'multiline' | 'debounceMs'> &
  Partial<Pick<ServerSettings, 'alternatives' | 'hideBelow'>>;

export interface SuggestTools {
  readonly decoder: Decoder;
  readonly recent: RecentSuggestions;
  readonly settle: Settle;
  /** For the prompt; what is usual by default. */
  readonly promptTokens?: number;
  /** Of other documents, within the budget. */
  readonly snippets?: (budget: SnippetBudget) => readonly Snippet[];
  readonly watch?: Watch;
}

/** Told of an answer while it is computed. */
export interface Watch {
  /** What the model has written so far after the cursor. */
  read(output: string): void;
  /** Texts that will be shown, or beginnings of them, the most probable first; with \n for line ends. */
  certain(texts: readonly string[], keepProbability?: number): void;
}

/** Waits for the user to stop typing; ends early when the signal aborts. */
export type Settle = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export const settle: Settle = async (milliseconds, signal) => {
  if (milliseconds > 0) await pause(milliseconds, undefined, { signal }).catch(() => undefined);
};

/** Of one request, including the most probable text. */
const MAX_SUGGESTIONS = 3;
/** Attempts at further texts: the user waits for all of them, and a confident model draws the same text again. */
const DRAWS = 3;
/** Cuts off the many tokens that are rarely right. */
const TOP_P = 0.95;
/** Characters on each side of the cursor that determine the seeds of draws. */
const AROUND = 4096;

export async function suggest(request: SuggestRequest, tools: SuggestTools): Promise<SuggestResult> {
  const { context, trigger, settings, signal } = request;
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  if (isHopeless(request)) return { outcome: 'skipped', texts: [] };
  const known = reused(request, tools.recent);
  if (known.texts.length > 0) return shown(known, context);
  if (trigger === 'automatic') await tools.settle(settings.debounceMs, signal);
  if (signal.aborted) return { outcome: 'cancelled', texts: [] };
  const found = await decoded(request, tools);
  return typeof found === 'string' ? { outcome: found, texts: [] } : shown(found, context);
}

/** Where VS Code would not show anything; by itself also before the rest of a word, a string, or in a conflict. */
function isHopeless({ context, trigger }: SuggestRequest): boolean {
  if (!isEntryVisible(context)) return true;
  if (trigger === 'explicit') return false;
  return isBeforeWord(context) || isBeforeString(context) || hasConflict(context);
}

type Found = Omit<SuggestResult, 'outcome'>;

function reused({ context, trigger }: SuggestRequest, recent: RecentSuggestions): Found {
  const { texts = [], keepProbability } = recent.match(context) ?? {};
  // An alternative that was asked for can be one that is not offered by itself.
  if (trigger === 'automatic')
    return { texts: texts.slice(0, 1).filter((text) => !isFiller(text, context)), keepProbability };
  // A request for alternatives is not satisfied by a single known text.
  return { texts: texts.length > 1 ? texts : [], keepProbability };
}

/** The most probable text and, for a manual request, others; or why there is none. Remembers what it finds. */
async function decoded(
  request: SuggestRequest,
  tools: SuggestTools,
): Promise<Found | 'cancelled' | 'empty' | 'filtered' | 'hidden'> {
  const { context, trigger, settings, signal } = request;
  const { decoder, recent, watch } = tools;
  const asked = askedOf(request, tools);
  const [wanted, ...others] = widths(context, trigger, settings.multiline);
  const newEnds = (): GhostTextEnd[] => [wanted, ...others].map((each) => new GhostTextEnd(context, each));
  const isComplete = (text: string): boolean => newEnds().every((end) => end.push(text) !== undefined);
  const output = new HealedOutput({ ...asked, isComplete }, decoder, judgesEntry(request, tools));
  const judge = new KeepJudge(request, output);
  const reason = () => output.finishReason;
  /** The first part that was told, and how much was certain at the last one. */
  let early = '';
  let told = 0;
  const best = await readCuts(judge.unlessHidden(output.pieces()), newEnds(), reason, (read, certain) => {
    watch?.read(read);
    if (!watch || certain === told) return;
    told = certain;
    const part = cleanSuggestion(read.slice(0, certain), context, true);
    early ||= part;
    if (part !== '' && !judge.hides(part)) watch.certain([part], judge.probability);
  });
  if (signal.aborted) return 'cancelled';
  if (best.output.trim() === '') return output.isOtherEntry ? 'hidden' : 'empty';
  const [whole = '', ...otherWidths] = best.cuts.map((text) => cleanSuggestion(text, context));
  // A loop may show late; what is on the screen by then stays.
  const first = watch && !whole.startsWith(early) ? cleanSuggestion(early, context) : whole;
  if (first !== '' && judge.hides(first)) return 'hidden';
  const { probability: keepProbability } = judge;
  const known = new Set([first]);
  if (first !== '') watch?.certain([first], keepProbability);
  for (const sampling of draws(request)) {
    if (known.size === MAX_SUGGESTIONS) break;
    const { cuts } = await readCuts(output.pieces(sampling), [new GhostTextEnd(context, wanted)], reason);
    if (signal.aborted) break;
    const text = cleanSuggestion(cuts[0] ?? '', context);
    if (text !== '') known.add(text);
  }
  const texts = different([...known, ...otherWidths]).slice(0, MAX_SUGGESTIONS);
  if (texts.length === 0) return 'filtered';
  // A cancelled request remembers only the first text, so that the next one gets the whole list.
  recent.remember(context, signal.aborted ? different([first]) : texts, keepProbability);
  return { texts, keepProbability };
}

/** VS Code selects the first entry of its list, which the model may know to be wrong; not one that a person went to. */
function judgesEntry({ context, trigger, settings }: SuggestRequest, { decoder }: SuggestTools): boolean {
  const hides = trigger === 'automatic' && (settings.hideBelow ?? 0) > 0;
  return hides && decoder.greedyLogprobs === true && context.selected?.isChosen === false;
}

/** One for each further text of a manual request. At the same place the seeds, and so the list, are the same. */
function draws({ context, trigger, settings }: SuggestRequest): DecodeLimits['sampling'][] {
  const temperature = trigger === 'explicit' ? (settings.alternatives?.temperature ?? 0) : 0;
  const first = seedAt(context);
  const each = (_: unknown, i: number) => ({ temperature, topP: TOP_P, seed: (first + i) >>> 0 });
  return Array.from({ length: temperature > 0 ? DRAWS : 0 }, each);
}

/** A hash (FNV-1a) below 2^32. */
function seedAt({ prefix, suffix }: CompletionContext): number {
  const text = `${prefix.slice(-AROUND)}\0${suffix.slice(0, AROUND)}`;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** What a request asks the model. */
function askedOf(
  { context, settings, signal }: SuggestRequest,
  { decoder, promptTokens = USUAL_PROMPT_TOKENS, snippets }: SuggestTools,
): HealedRequest {
  const room = Math.max(decoder.contextTokens - settings.maxSuggestionTokens, decoder.contextTokens >> 1);
  const budget = Math.min(room, promptTokens);
  // In whole lines, as a tokenizer knows all of them at the next key.
  const above = context.prefix.slice(0, context.prefix.length - context.lineBefore.length);
  return {
    context,
    snippets: snippets?.(snippetBudget(budget, context)) ?? [],
    budget,
    maxTokens: Math.min(settings.maxSuggestionTokens, decoder.contextTokens - budget),
    ...((settings.hideBelow ?? 0) > 0 && { greedyLogprobs: true }),
    signal,
    promptLookupText: decoder.tokenizer.encodeText(`${context.suffix}\n${above}`),
  };
}

/** Of what such a request asks: the prompt, and one token, as no less can be asked. */
export async function readAhead(request: SuggestRequest, tools: SuggestTools): Promise<void> {
  const { decoder } = tools;
  const { context, snippets, budget, signal, promptLookupText } = askedOf(request, tools);
  const prefix = healing(context.prefix, decoder.tokenizer)?.kept ?? context.prefix;
  const prompt = completionPrompt({ context, prefix, snippets, budget }, decoder);
  if (prompt === undefined) return;
  const { ids, ...limits } = prompt;
  const pieces = decoder.decode(ids, { ...limits, maxTokens: 1, signal, promptLookupText });
  for await (const _ of pieces) return;
}

/** The wanted one first. */
function widths(
  context: CompletionContext,
  trigger: SuggestRequest['trigger'],
  multiline: Multiline,
): readonly [Width, ...Width[]] {
  const wanted = width(context, multiline);
  if (trigger === 'automatic') return [wanted];
  const others = new Set([width(context, 'never'), width(context, 'always')]);
  return [wanted, ...[...others].filter((each) => each !== wanted)];
}

function shown({ texts, keepProbability }: Found, context: CompletionContext): SuggestResult {
  const known = keepProbability === undefined ? {} : { keepProbability };
  return { outcome: 'shown', texts: presented(texts, context), ...known };
}

/** With the document's line ends, and the selected entry in front. */
export function presented(texts: readonly string[], context: CompletionContext): string[] {
  return texts.map((text) => withEntry(text, context).replaceAll('\n', context.eol));
}

function different(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

/** Where texts go that begin with the selected entry, if there is one. The probability is that of the first one. */
export function placed(
  texts: readonly string[],
  context: CompletionContext,
  keepProbability: number | undefined,
): readonly Suggestion[] {
  const entry = context.selected?.text.length ?? 0;
  return texts.map((text, i) => ({
    text,
    behind: replacedAfterCursor(text.slice(entry).replaceAll('\r\n', '\n'), context),
    ...(i === 0 && { keepProbability }),
  }));
}
