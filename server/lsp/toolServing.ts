// The server for other tools as windows see it: one for all connections of a process. The requests that start and stop
// it, and the notification that says where it is.
import { Method, type ServerSettings, type ServingParams } from '../protocol';
import type { AnswerRequest } from './requestSignal';

export interface ToolServing {
  /** Such as http://127.0.0.1:8080; undefined while it is off. */
  readonly address: string | undefined;
  /** Resolves with the address, also if it is on already. Throws InputError if it cannot listen there. */
  start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<string>;
  stop(): Promise<void>;
  /** The settings of the window that started it apply. */
  configure(owner: object, settings: ServerSettings): void;
  /** Called at every change until the returned function is. */
  onChange(listener: () => void): () => void;
}

interface Parts {
  /** Of the window. */
  readonly owner: object;
  readonly tell: (method: string, params: object) => void;
  readonly answer: AnswerRequest;
  readonly settings: () => ServerSettings;
  readonly log: (line: string) => void;
}

/** Returns what tells the window where the server is, if it is on, and what ends telling. */
export function answerServing(tools: ToolServing, { owner, answer, tell: send, settings, log }: Parts) {
  const serving = (): ServingParams => ({ address: tools.address ?? null });
  const tell = (): void => {
    send(Method.serving, serving());
  };
  answer(Method.startServing, async () => {
    await tools.start(owner, settings(), log);
    return serving();
  });
  answer(Method.stopServing, async () => {
    await tools.stop();
    return serving();
  });
  return {
    initialized: () => {
      if (tools.address !== undefined) tell();
    },
    end: tools.onChange(tell),
  };
}
