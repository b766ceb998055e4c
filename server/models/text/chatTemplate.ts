// The chat template of a model folder: renders messages as the prompt text that the model was trained on.
import { createHash } from 'node:crypto';
import { attempt, orUserError, type UserError } from '../../rules/userError';
import { CpuLimit, CpuLimitReached } from '../../machine/cpuLimit';
import type { ChatMessage, Conversation, TemplateVariables, Tool } from '../../protocol/conversation';
import type { ConfigFields } from '../checkpoint/configFields';
import { readTemplate } from './jinja/jinja';
import { promptParts } from './markedPrompt';
import { OTHER_TEMPLATE, readTemplateSources, type TemplateSources } from './templateSources';
import { TemplateRefusal } from './templateRefusal';
import { usedVariables } from './templateVariables';
import { readTokenizerConfig, tokenText } from './tokenizerConfig';
import type { PromptPart, SpecialTokenMarker } from './tokenizer';

/** Limit of a template's processor time: far more than any needs, and too little to fill the memory. */
const LIMIT_MS = 5_000;
/** Matches Mistral's templates, which refuse the id of a call unless it is nine letters and digits. */
const REQUIRES_NINE_CHARACTERS = /\|\s*length\s*(?:!=|<)\s*9\b/;
/** Conversations to test a template with at load; some templates refuse one without a system message. */
const PROBES: readonly (readonly ChatMessage[])[] = [
  [{ role: 'user', content: 'x' }],
  [
    { role: 'system', content: 'x' },
    { role: 'user', content: 'x' },
  ],
];

export class ChatTemplate {
  readonly #limit: CpuLimit;
  readonly #plain: ReturnType<typeof readTemplate>;
  readonly #withTools: ReturnType<typeof readTemplate>;
  /** Variables of conversations that do not set them. */
  readonly #defaults: TemplateVariables;
  /** Value of `tools` for a conversation without tools: templates made for tools can require a list. */
  #noTools: [] | null = null;

  /** `config` is tokenizer_config.json, which has the special tokens. Throws UserError. */
  constructor(
    private readonly directory: string,
    private readonly sources: TemplateSources,
    config: ConfigFields,
    private readonly marker: SpecialTokenMarker,
  ) {
    this.#limit = new CpuLimit(`The chat template of ${directory}`);
    [this.#plain, this.#withTools] = this.#limited(() => [
      readTemplate(sources.plain),
      readTemplate(sources.withTools),
    ]);
    this.#defaults = defaultVariables(config);
  }

  /** Text of the template in the model's files. */
  get source(): string {
    return this.sources.plain;
  }

  /**
   * Renders test conversations, as unsupported filters and tests fail only when they are used, and finds the
   * value of `tools` that works. Throws UserError.
   */
  requireUsable(): void {
    try {
      this.#probe();
    } catch (error) {
      if (error instanceof CpuLimitReached || !this.#plain.names.has('tools')) throw error;
      this.#noTools = [];
      this.#probe();
    }
  }

  /**
   * Renders messages with the assistant's turn opened; undefined if there are tools, or messages about them, and the
   * template does not support tools. Throws TemplateRefusal for a conversation that the template refuses,
   * UnusedVariable for a variable that it does not use, and another UserError if the template fails.
   */
  render(
    messages: readonly ChatMessage[],
    tools: readonly Tool[] = [],
    variables: TemplateVariables = {},
  ): readonly PromptPart[] | undefined {
    const usesTools =
      tools.length > 0 || messages.some(({ role, toolCalls }) => role === 'tool' || toolCalls);
    if (usesTools && !this.#withTools.names.has('tools')) return undefined;
    const render = usesTools ? this.#withTools : this.#plain;
    const source = usesTools ? this.sources.withTools : this.sources.plain;
    const given: Conversation = {
      messages: REQUIRES_NINE_CHARACTERS.test(source) ? messages.map(withIdsOfNine) : messages,
      tools,
      variables: usedVariables(variables, render.names),
    };
    const renderWithDefaults = (marked: TemplateVariables): string =>
      render({ ...this.#defaults, ...marked, tools: marked['tools'] ?? this.#noTools });
    return this.#limited(() => promptParts(given, renderWithDefaults, this.marker));
  }

  /** Throws the first refusal if the template refuses all test conversations, and any other error. */
  #probe(): void {
    let refusal: TemplateRefusal | undefined;
    for (const messages of PROBES) {
      try {
        this.render(messages);
        return;
      } catch (error) {
        if (!(error instanceof TemplateRefusal)) throw error;
        refusal ??= error;
      }
    }
    if (refusal) throw refusal;
  }

  /** Runs `work` within the time limit, and converts its errors to UserError. */
  #limited<T>(work: () => T): T {
    const expected = `a chat template that works in ${this.directory}`;
    return this.#limit.run(LIMIT_MS, () => attempt(expected, OTHER_TEMPLATE, work));
  }
}

/**
 * Loads the template from any of the files that can have it; undefined if there is none. Returns the error of a template
 * that cannot be read or does not work, because everything except chats works without it.
 */
export function loadChatTemplate(
  directory: string,
  marker: SpecialTokenMarker = { mark: (text) => text },
): ChatTemplate | UserError | undefined {
  return orUserError(() => {
    const config = readTokenizerConfig(directory);
    const sources = readTemplateSources(directory, config);
    if (sources === undefined) return undefined;
    const template = new ChatTemplate(directory, sources, config, marker);
    template.requireUsable();
    return template;
  });
}

function withIdsOfNine(message: ChatMessage): ChatMessage {
  const { toolCalls, toolCallId } = message;
  return {
    ...message,
    ...(toolCalls && { toolCalls: toolCalls.map((call) => ({ ...call, id: call.id && idOfNine(call.id) })) }),
    ...(toolCallId && { toolCallId: idOfNine(toolCallId) }),
  };
}

/** Returns an id of nine letters and digits, always the same for the same id. */
function idOfNine(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}

function defaultVariables(config: ConfigFields): TemplateVariables {
  return {
    ...specialTokens(config),
    add_generation_prompt: true,
    // Drafters are trained on answers without a thinking part.
    enable_thinking: false,
    documents: null,
  };
}

/** Returns `bos_token` and other special tokens by their names. */
function specialTokens(config: ConfigFields): Readonly<Record<string, string>> {
  const names = ['bos_token', 'eos_token', ...config.names().filter((name) => name.endsWith('_token'))];
  // Excludes switches such as `add_bos_token`.
  const isToken = (name: string): boolean => typeof config.raw(name) !== 'boolean';
  return Object.fromEntries(names.filter(isToken).map((name) => [name, tokenText(config.raw(name))]));
}
