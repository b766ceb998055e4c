// The wait for a pause in typing, with a clock that the test turns.
import assert from 'node:assert/strict';
import { completionContext } from '../../server/completion/context';
import { TypingPause } from '../../server/completion/typingPause';
import type { SuggestResult } from '../../server/completion/suggest';

const DEBOUNCE_MS = 40;
const IN_WORD = 'const tot';
const BEHIND_WORD = 'const total ';

function contextAt(text: string) {
  const document = {
    version: 1,
    uri: 'file:///a.ts',
    fileName: 'a.ts',
    languageId: 'typescript',
    text,
    eol: '\n',
  } as const;
  return completionContext(document, text.length);
}

interface Asked {
  readonly lateMs: number;
  readonly debounceMs: number;
  readonly outcome: SuggestResult['outcome'];
}

class Typing {
  #clock = 1000;
  #wait = NaN;
  readonly #pause = new TypingPause(
    (ms) => {
      this.#wait = ms;
      this.#clock += Math.max(0, ms);
      return Promise.resolve();
    },
    () => this.#clock,
  );

  /** A person with that pace, whose suggestions take so long. */
  static async known(apartMs: number, answerMs: number): Promise<Typing> {
    const typing = new Typing();
    typing.keys(10, apartMs);
    await typing.answers(3, answerMs);
    return typing;
  }

  keys(count: number, apartMs: number): void {
    for (let i = 0; i < count; i++) {
      this.#clock += apartMs;
      this.#pause.typed();
    }
  }

  /** Milliseconds that a request waits there, `lateMs` after it arrived; its answer then takes `answerMs`. */
  async request(
    text: string,
    answerMs: number,
    { lateMs = 0, debounceMs = DEBOUNCE_MS, outcome = 'shown' }: Partial<Asked> = {},
  ): Promise<number> {
    const pause = this.#pause.of(contextAt(text), this.#clock);
    this.#clock += lateMs;
    await pause.settle(debounceMs, new AbortController().signal);
    this.#clock += answerMs;
    pause.ended(outcome);
    const waited = Math.round(this.#wait);
    assert.equal(Math.round(pause.pausedMs ?? NaN), waited);
    return waited;
  }

  /** Answers take so long. */
  async answers(count: number, answerMs: number, outcome: SuggestResult['outcome'] = 'shown'): Promise<void> {
    for (let i = 0; i < count; i++) await this.request(BEHIND_WORD, answerMs, { outcome });
  }
}

describe('the pause before a request', () => {
  it('is the debounce until anything is known', async () => {
    assert.equal(await new Typing().request(IN_WORD, 500), DEBOUNCE_MS);
  });

  it('lasts until the next key is late, within a word where it comes before an answer could', async () => {
    const typing = await Typing.known(100, 300);
    assert.equal(await typing.request(IN_WORD, 300), 110);
    assert.equal(await typing.request(BEHIND_WORD, 300), DEBOUNCE_MS);
  });

  it('is the debounce where answers come before the next key', async () => {
    const typing = await Typing.known(100, 60);
    assert.equal(await typing.request(IN_WORD, 60), DEBOUNCE_MS);
  });

  it('learns from requests that were broken off only that they take longer', async () => {
    const typing = await Typing.known(100, 300);
    await typing.answers(50, 20, 'cancelled');
    assert.equal(await typing.request(IN_WORD, 300), 110);
    const quick = new Typing();
    quick.keys(10, 100);
    await quick.answers(50, 300, 'cancelled');
    assert.equal(await quick.request(IN_WORD, 300), 110);
  });

  it('follows a person who types faster, and takes no thought for a key', async () => {
    const typing = await Typing.known(200, 900);
    assert.equal(await typing.request(IN_WORD, 900), 220);
    typing.keys(5, 5000);
    assert.equal(await typing.request(IN_WORD, 900), 220);
    typing.keys(60, 80);
    assert.equal(await typing.request(IN_WORD, 900), 88);
  });

  it('is never shorter than the debounce, nor longer than a slow typist can stand, nor there if it is off', async () => {
    const typing = await Typing.known(480, 900);
    assert.equal(await typing.request(IN_WORD, 900), 250);
    assert.equal(await typing.request(IN_WORD, 900, { debounceMs: 400 }), 400);
    assert.equal(await typing.request(IN_WORD, 900, { debounceMs: 0 }), 0);
  });

  it('has begun when the request arrived', async () => {
    assert.equal(await new Typing().request(BEHIND_WORD, 10, { lateMs: 30 }), DEBOUNCE_MS - 30);
  });
});
