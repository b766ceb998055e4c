// The server for other tools as windows see it: one for all connections of a process. The requests that start and stop
// it, and the notification that says where it is.
import { Method, type ServerSettings, type ServingParams } from '../protocol/messages';
import type { ToolServing } from '../hosting/localModel';
import type { AnswerRequest } from './requestSignal';

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
