// Schemas of the messages that clients send, except settings (hosting/settings.ts), those that open, change and
// close documents, and those about deleted files. The language server parses each message before its handler gets it;
// tests check with the same schemas what our own client sends.
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver/node';
import * as z from 'zod/mini';
import { isRepositoryName } from '../hub/repositoryCache';
import { CHAT_MESSAGE, optional, TOOL } from '../protocol/conversation';
import { INLINE_COMPLETION, MAX_TAB_SIZE, MAX_TOOLS, Method } from '../protocol/messages';
import { NextEditMethod } from '../protocol/nextEditMessages';
import { fieldsOf } from '../rules/json';

/** Progress token with which to stream; absent if the client wants no stream. */
const STREAM = z.catch(z.optional(z.union([z.string(), z.number()])), undefined);
const POSITION = z.object({ line: z.int(), character: z.int() });
const OFFSET = z.int().check(z.nonnegative());
const REPOSITORIES = z.object({
  /** The target, and then its drafter, if any. */
  repositories: z.array(z.string().check(z.refine(isRepositoryName))).check(z.minLength(1), z.maxLength(2)),
  token: z.catch(z.optional(z.string().check(z.regex(/\S/))), undefined),
  force: z.catch(z.boolean(), false),
  partialResultToken: STREAM,
});
/** Does not quote the message: it can contain a token, or what a user has typed. */
const WRONG_REPOSITORIES =
  'The message is malformed. Name one or two repositories such as Qwen/Qwen3-4B, the target first.';

export const MESSAGES = {
  [INLINE_COMPLETION]: {
    /** Parameters that the server reads, with our additions `growingResultToken` and `formatting`. */
    schema: z.object({
      textDocument: z.object({ uri: z.string() }),
      position: POSITION,
      context: z.object({
        triggerKind: z.unknown(),
        selectedCompletionInfo: optional(
          z.object({ range: z.object({ start: POSITION, end: POSITION }), text: z.string() }),
        ),
      }),
      growingResultToken: STREAM,
      formatting: optional(
        z.object({
          tabSize: z.int().check(z.positive(), z.maximum(MAX_TAB_SIZE)),
          insertSpaces: z.boolean(),
        }),
      ),
    }),
    wrong:
      'The message is malformed. ' +
      'Send InlineCompletionParams: a document, a position in whole numbers and a context.',
  },
  [Method.generate]: {
    schema: z.object({
      uri: z.string(),
      instruction: z.string(),
      start: OFFSET,
      end: OFFSET,
      maxTokens: optional(z.int().check(z.positive())),
      /** Checked in generateRequest.ts, whose errors name the field. */
      sampling: optional(z.unknown()),
      partialResultToken: STREAM,
    }),
    wrong: 'The message is malformed. Send GenerateParams: uri, instruction, start and end.',
  },
  [Method.chat]: {
    schema: z.object({
      model: z.string(),
      messages: z.array(CHAT_MESSAGE).check(z.minLength(1), z.maxLength(10_000)),
      tools: optional(z.array(TOOL).check(z.maxLength(MAX_TOOLS))),
      partialResultToken: STREAM,
    }),
    wrong: `The message is malformed. Send ChatParams: a model, messages and at most ${String(MAX_TOOLS)} tools.`,
  },
  [Method.chatTokens]: {
    schema: z.object({ model: z.string(), text: z.string() }),
    wrong: 'The message is malformed. Send ChatTokensParams: a model and a text.',
  },
  [Method.definitions]: {
    schema: z.object({
      uri: z.string(),
      definitions: z.array(z.object({ uri: z.string(), text: z.string() })),
      above: optional(z.array(z.string())),
    }),
    wrong:
      'The message is malformed. ' +
      'Send DefinitionsParams: the URI of a document, and URIs and texts of what it imports.',
  },
  [Method.cursor]: {
    schema: z.object({ uri: z.string(), position: POSITION }),
    wrong: 'The message is malformed. Send CursorParams: a document and a position in whole numbers.',
  },
  [NextEditMethod.inlineEdit]: {
    schema: z.object({
      textDocument: z.object({ uri: z.string(), version: z.int() }),
      position: POSITION,
      context: optional(z.object({ triggerKind: optional(z.number()) })),
    }),
    wrong:
      'The message is malformed. Send InlineEditParams: a document with its version, and a position in whole numbers.',
  },
  [NextEditMethod.didShow]: {
    schema: z.object({ item: z.object({ command: z.object({ arguments: z.tuple([z.string()]) }) }) }),
    wrong: 'The message is malformed. Send the item with the command of an edit as it was received.',
  },
  [NextEditMethod.executeCommand]: {
    schema: z.object({ command: z.string(), arguments: z.catch(z.optional(z.array(z.string())), undefined) }),
    wrong: 'The message is malformed. Send the command of an edit with its arguments as it was received.',
  },
  [Method.models]: {
    /** Without repositories, everything is valid, even a message without parameters. */
    schema: z.pipe(
      z.transform(fieldsOf),
      z.object({ ...REPOSITORIES.shape, repositories: optional(REPOSITORIES.shape.repositories) }),
    ),
    wrong: WRONG_REPOSITORIES,
  },
  [Method.download]: { schema: REPOSITORIES, wrong: WRONG_REPOSITORIES },
  [Method.removeModel]: { schema: REPOSITORIES, wrong: WRONG_REPOSITORIES },
} as const;

type Messages = typeof MESSAGES;

/** Parsed parameters of a message; undefined for one without parameters. */
export type ParamsOf<M extends string> = M extends keyof Messages
  ? z.output<Messages[M]['schema']>
  : undefined;

/** Error for a message that does not follow the protocol. If our own client has sent it, it is a defect. */
export class WrongMessage extends ResponseError<void> {
  constructor(message: string) {
    super(LSPErrorCodes.RequestFailed, message);
    // The constructor of ResponseError sets its own prototype.
    Object.setPrototypeOf(this, WrongMessage.prototype);
  }
}

/** Parses the parameters of a message. Ignores `given` for a message without parameters. Throws WrongMessage. */
export function paramsOf<M extends string>(method: M, given: unknown): ParamsOf<M> {
  return (isSpecified(method) ? parsed(method, given) : undefined) as ParamsOf<M>;
}

function isSpecified(method: string): method is keyof Messages {
  return Object.hasOwn(MESSAGES, method);
}

function parsed(method: keyof Messages, given: unknown): ParamsOf<keyof Messages> {
  const { schema, wrong } = MESSAGES[method];
  const { data } = schema.safeParse(given);
  if (data === undefined) throw new WrongMessage(wrong);
  return data;
}
