// Questions about a repository, asked until they are answered: a fetch for the functions of @huggingface/hub.
import type { Fetch, HubConnection } from './connection';
import { explain, failureOfAnswer, failureOfNetwork } from './failure';
import { Patience } from './patience';
import { send, type Question } from './send';
import { Stall } from './stall';

/** Of a listing; larger ones are not read. */
const MOST_BYTES = 64e6;

/**
 * Gives an answer of success, read to its end, so that a connection that breaks in the middle is tried again too.
 * Throws InputError when there is none, and the reason of the signal when it aborts.
 */
export function askHub(connection: HubConnection, repository: string, signal?: AbortSignal): Fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = Object.fromEntries(new Headers(init?.headers));
    const patience = new Patience(connection.wait);
    for (;;) {
      const question = { url, headers, method: init?.method };
      const answer = await answerTo(connection, question, signal);
      if (answer instanceof Response) return answer;
      if (!(await patience.lasts(answer, signal))) throw explain(connection, repository, answer);
    }
  };
}

async function answerTo(connection: HubConnection, question: Question, signal?: AbortSignal) {
  signal?.throwIfAborted();
  const stall = new Stall(connection.stallMs, signal);
  try {
    const answer = await stall.of(send(connection, { ...question, signal: stall.signal }));
    const { response } = answer;
    const text = await stall.of(response.text());
    if (!response.ok) return failureOfAnswer(answer);
    if (text.length > MOST_BYTES) return { status: 200, got: 'an endless answer' };
    return new Response(text, { status: response.status, headers: response.headers });
  } catch (error) {
    signal?.throwIfAborted();
    return failureOfNetwork(error);
  } finally {
    stall.end();
  }
}
