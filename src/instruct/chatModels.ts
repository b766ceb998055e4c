// Provides chat models to VS Code's chat, and to other extensions through vscode.lm: the list of models, streamed
// answers with tool calls, and token counts.
import * as vscode from 'vscode';
import type { ChatMessage, Tool } from '../../server/protocol/conversation';
import {
  Method,
  MAX_TOOLS,
  type AnsweredCall,
  type ChatModel,
  type ChatParams,
  type GenerateDelta,
} from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';

/** Vendor id in package.json. */
export const CHAT_VENDOR = 'flashline';
/** Time limit for the first start of the server: other extensions that list all models wait for it too. */
const START_LIMIT_MS = 20_000;
/** Role of system messages, which the stable enumeration of VS Code lacks. */
const SYSTEM_ROLE = 3;

export class ChatModels implements vscode.LanguageModelChatProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeLanguageModelChatInformation = this.#changed.event;
  /** Facts of the last update, as JSON; undefined before the first. */
  #reported: string | undefined;

  /** `isOffered` returns whether models are offered now. */
  constructor(
    private readonly client: FlashlineClient,
    private readonly isOffered: () => boolean,
  ) {}

  /** Makes VS Code list the models again if `facts`, on which the list depends, have changed. */
  update(facts: unknown): void {
    const reported = JSON.stringify([facts, this.client.isRunning, this.isOffered()]);
    if (reported === this.#reported) return;
    this.#reported = reported;
    this.listAgain();
  }

  /** Makes VS Code list the models again; VS Code 1.104 ignores this. */
  listAgain(): void {
    this.#changed.fire();
  }

  async provideLanguageModelChatInformation() {
    if (!this.isOffered()) return [];
    // VS Code 1.104 asks by itself only when the window opens, and ignores changes: that answer must have the models.
    await this.client.waitForFirstStart(START_LIMIT_MS);
    if (!this.client.isRunning || !this.isOffered()) return [];
    const models = await this.client.request(Method.chatModels, {});
    return models.map(chatInformation);
  }

  // eslint-disable-next-line max-params -- VS Code defines the signature.
  async provideLanguageModelChatResponse(
    model: vscode.LanguageModelChatInformation,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    { tools = [], toolMode }: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    this.#requireOffer();
    if (toolMode === vscode.LanguageModelChatToolMode.Required)
      throw new Error('Flashline cannot force a model to call a tool. Set toolMode to Auto.');
    const params: ChatParams = {
      model: model.id,
      messages: messages.flatMap(turnsOf),
      tools: tools.map(({ name, description, inputSchema }) => {
        return {
          type: 'function',
          function: { name, description, parameters: inputSchema as Tool['function']['parameters'] },
        };
      }),
    };
    const onDelta = ({ text }: GenerateDelta): void => {
      progress.report(new vscode.LanguageModelTextPart(text));
    };
    const { calls } = await this.client.stream(Method.chat, params, onDelta, token);
    for (const { id, name, arguments: input } of calls)
      progress.report(new vscode.LanguageModelToolCallPart(id, name, input));
  }

  async provideTokenCount(
    { id: model }: vscode.LanguageModelChatInformation,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number> {
    this.#requireOffer();
    const params = { model, text: typeof text === 'string' ? text : turnsOf(text).map(plainText).join('\n') };
    return await this.client.request(Method.chatTokens, params, token);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  /** Throws while no models are offered: another extension can have kept one from before. */
  #requireOffer(): void {
    if (!this.isOffered())
      throw new Error(
        'Chat models are off in this window. Turn on flashline.offerChatModels in a trusted workspace.',
      );
  }
}

/** Describes a model as VS Code lists it. */
function chatInformation({ bits, host, contextTokens, maxTokens, hasTools, ...model }: ChatModel) {
  const precision = bits === undefined ? 'on this machine' : `${bits} bits, on this machine`;
  return {
    ...model,
    version: bits === undefined ? '1' : `${String(bits)}bit`,
    detail: host === undefined ? precision : `at ${host}`,
    tooltip:
      host === undefined
        ? 'Flashline runs this model on this machine.'
        : `Flashline sends the conversation to ${host}.`,
    maxInputTokens: contextTokens - maxTokens,
    maxOutputTokens: maxTokens,
    capabilities: { imageInput: false, toolCalling: hasTools && MAX_TOOLS },
  } as const;
}

/** Splits a message into turns: one for each result of a tool, then the text. */
function turnsOf({ role, content }: vscode.LanguageModelChatRequestMessage): ChatMessage[] {
  const results = content.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  const calls = content.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
  const text = textOf(content);
  const hasMessage = text !== '' || calls.length > 0 || results.length === 0;
  return [
    ...results.map(({ callId, content: parts }) => {
      return { role: 'tool', content: textOf(parts), toolCallId: callId } as const;
    }),
    ...(hasMessage
      ? [{ role: roleOf(role), content: text, ...(calls.length > 0 && { toolCalls: calls.map(callOf) }) }]
      : []),
  ];
}

function roleOf(role: vscode.LanguageModelChatMessageRole): ChatMessage['role'] {
  if ((role as number) === SYSTEM_ROLE) return 'system';
  return role === vscode.LanguageModelChatMessageRole.Assistant ? 'assistant' : 'user';
}

function callOf({ callId: id, name, input }: vscode.LanguageModelToolCallPart): AnsweredCall {
  return { id, name, arguments: input as AnsweredCall['arguments'] };
}

/** Joins the texts of parts. Cache marks of other providers have none, and pictures are left out. */
function textOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      return part instanceof vscode.LanguageModelPromptTsxPart ? JSON.stringify(part.value) : '';
    })
    .join('');
}

function plainText({ content, toolCalls }: ChatMessage): string {
  return toolCalls === undefined ? content : `${content}${JSON.stringify(toolCalls)}`;
}
