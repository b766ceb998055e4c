// The models that one client's chats use, which need not be the one that completes. One is in memory at a time, beside
// that of the completions, unless others are at work; it leaves as that does.
import type { ClientSettings, StatusParams } from '../protocol/messages';
import { InputError } from '../rules/inputError';
import { NO_REMOTE } from '../rules/serverSettings';
import type { UsableModel, ServedEngine } from './loadedModel';
import { ModelLease } from './modelLease';
import type { ModelPool } from './modelPool';
import { usesRemote } from './pairCandidates';
import type { Conversation } from '../models/text/conversation';
import { encodeInTurns, renderInTurns } from '../models/text/encodeInTurns';
import type { PromptPart } from '../models/text/tokenizer';

interface Held {
  readonly lease: ModelLease;
  status: StatusParams;
}

export class ChatLeases {
  /** By what names the model. */
  readonly #held = new Map<string, Held>();

  constructor(
    private readonly pool: ModelPool,
    private readonly log: (line: string) => void,
  ) {}

  /** Throws InputError if the model of `settings` cannot be loaded; nothing takes its place. */
  async use<T>(settings: ClientSettings, work: (model: UsableModel) => Promise<T>): Promise<T> {
    const { target, drafter, remote } = settings;
    const isRemote = usesRemote(settings);
    const name = isRemote ? `remote ${remote.url}` : `${target} ${drafter}`;
    for (const [other, { lease }] of this.#held)
      if (other !== name && lease.lastUse !== Infinity) this.#end(other);
    const held = this.#held.get(name) ?? this.#add(name);
    // Whether suggestions are wanted does not concern chats.
    const own = { ...settings, enable: undefined, load: 'firstUse' } as const;
    void held.lease.configure({ ...own, remote: isRemote ? { ...remote, fallback: false } : NO_REMOTE });
    return await held.lease.use(async (model) => {
      if (model !== undefined && !model.info.isBase) return await work(model);
      this.#end(name);
      const sentence =
        held.status.message ?? 'Expected a chat model, got one that only completes; choose another';
      throw new InputError({ sentence, expected: '', got: '', remedy: '' });
    });
  }

  /** Without consent to a remote engine any more, nothing else is sent there. */
  configured(settings: ClientSettings): void {
    const named = usesRemote(settings) ? `remote ${settings.remote.url}` : undefined;
    for (const name of this.#held.keys()) if (name.startsWith('remote ') && name !== named) this.#end(name);
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ lease }) => lease.dispose()));
  }

  #add(name: string): Held {
    // eslint-disable-next-line @typescript-eslint/no-use-before-define -- no status comes before the lease is configured
    const lease = new ModelLease(this.pool, (status) => void (held.status = status), this.log);
    const held: Held = { lease, status: { state: 'asleep' } };
    this.#held.set(name, held);
    return held;
  }

  #end(name: string): void {
    void this.#held.get(name)?.lease.dispose();
    this.#held.delete(name);
  }
}

// The prompt of a conversation, in the form of the model's own chat template, and lengths in tokens.

/** What the chat template makes of it; undefined without one, or where it knows no tools. */
export async function conversationParts(
  conversation: Conversation,
  tokenizer: NonNullable<ServedEngine['tokenizer']>,
  engine: Pick<ServedEngine, 'chatParts'>,
): Promise<readonly PromptPart[] | undefined> {
  return await renderInTurns(tokenizer, conversation, ({ messages, tools, variables }) =>
    engine.chatParts?.(messages, tools, variables),
  );
}

/** Its ids, made so that nobody else waits. Undefined without a template, or without one that knows tools. */
export async function chatIds(
  conversation: Conversation,
  { engine }: UsableModel,
): Promise<readonly number[] | undefined> {
  // Other servers may leave out the marks of calls, so none are asked for.
  if (engine.remote)
    return conversation.tools.length > 0 ? undefined : engine.encodeChat(conversation.messages);
  const { tokenizer } = engine;
  if (tokenizer === undefined) return undefined;
  const parts = await conversationParts(conversation, tokenizer, engine);
  return parts && (await encodeInTurns(tokenizer, { how: 'encodeParts', input: parts }));
}

export async function tokenCount(text: string, { engine: { tokenizer } }: UsableModel): Promise<number> {
  return tokenizer ? (await encodeInTurns(tokenizer, { how: 'encodeText', input: text })).length : 0;
}
