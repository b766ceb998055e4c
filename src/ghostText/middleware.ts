// The middleware between VS Code and the library's client: the documents that the server may know, and ghost text as the
// editor sees it. What to suggest, and when to stay silent, is up to the server.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { followingText, type Acceptance } from './acceptance';
import type { Dismissals, EditorGate } from './gate';
import type { GrowingSuggestions } from './growingSuggestions';
import type { NeededDefinitions } from './neededDefinitions';
import type { ServerDocuments } from '../connection/serverDocuments';
import type { ModelInfo } from '../../server/protocol/messages';
import { median } from '../../server/rules/numbers';

/** Runs when an item is accepted in full; its argument is the id of the offer. */
export const ACCEPTED_COMMAND = 'flashline._accepted';

/** What VS Code has been answered. */
export interface Answer {
  readonly uri: string;
  /** Of the document when VS Code asked. */
  readonly version: number;
  readonly position: vscode.Position;
  /** The entry of the completion list that was selected. */
  readonly selected: string | undefined;
  readonly texts: readonly string[];
}

export function middleware(
  gate: Pick<EditorGate, 'suggestion'>,
  documents: Pick<ServerDocuments, 'middleware'>,
  suggestions: Pick<GrowingSuggestions, 'items'>,
  acceptance: Pick<Acceptance, 'offer'>,
  dismissals: Pick<Dismissals, 'has'>,
  told: Pick<NeededDefinitions, 'requested'> & {
    /** How long an automatic request took that something new was shown for. */
    readonly shown: (milliseconds: number) => void;
    readonly answered: (answer: Answer) => void;
  },
): Middleware {
  let latest = 0;
  return {
    ...documents.middleware,
    /** Asks the gate or the server, then ties each item to the acceptance counters. */
    provideInlineCompletionItems: async (document, position, context, token) => {
      const explicit = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
      if (gate.suggestion(document, position, explicit) !== undefined) return [];
      told.requested(document, position);
      const asked = { uri: document.uri.toString(), version: document.version, position };
      const askedAt = performance.now();
      const items = await suggestions.items(document, position, context, token);
      if (token.isCancellationRequested) return [];
      // VS Code shows the first one; more would be wasted work.
      const shown = explicit
        ? items
        : items.slice(0, 1).filter((item) => !dismissals.has(document, position, item));
      const offer = acceptance.offer(document, position, shown);
      // What the person types into comes back at once, and is the same offer.
      if (!explicit && offer > latest) told.shown(performance.now() - askedAt);
      latest = offer;
      const title = 'Suggestion accepted';
      for (const item of shown) item.command = { command: ACCEPTED_COMMAND, title, arguments: [offer] };
      const texts = shown.map((item) => followingText(item, position));
      told.answered({ ...asked, selected: context.selectedCompletionInfo?.text, texts });
      return shown;
    },
  };
}

/** Enough that loads and long prompts, which are rare, do not count. */
const COUNTED = 20;

/** How long suggestions take on this machine, from the request to the first text that is shown. */
export class SuggestionTimes {
  #model = '';
  #times: readonly number[] = [];

  /** Times of another model say nothing about this one. */
  of({ target, drafter, device, remote }: ModelInfo): void {
    const model = JSON.stringify([target, drafter, device, remote?.host]);
    if (model !== this.#model) this.#times = [];
    this.#model = model;
  }

  add(milliseconds: number): void {
    this.#times = [...this.#times, milliseconds].slice(-COUNTED);
  }

  /** The median in milliseconds; undefined before the first. */
  get typical(): number | undefined {
    return this.#times.length === 0 ? undefined : median(this.#times);
  }
}
