// Tests the rules for all requests to the Hub and its stores, including those that @huggingface/hub makes.
import assert from 'node:assert/strict';
import type { HubFailure } from '../../server/hub/hubFailure';
import { Hub } from '../../server/hub/hub';
import { HubExchange } from '../../server/hub/hubExchange';
import { ManualClock } from '../lsp/manualClock';
import { TOKEN } from '../support/hub/madeUpModel';

const HUB = 'https://hub.example';
const STORE = 'https://store.example';
const OTHER = 'https://other.example';

interface Sent {
  readonly url: string;
  readonly authorization: string | undefined;
}

describe('an exchange with the Hub', () => {
  /** Sends a request that is redirected to these addresses in turn. */
  const send = async (
    url: string,
    redirects: readonly string[],
    authorization?: string,
    status = 307,
  ): Promise<readonly Sent[]> => {
    const sent: Sent[] = [];
    const hub = new Hub({
      endpoint: HUB,
      token: TOKEN,
      env: {},
      fetch: (address, { headers }) => {
        const location = redirects[sent.length];
        sent.push({ url: address, authorization: headers['authorization'] });
        // Compressed bytes would not match the requested range.
        assert.equal(headers['accept-encoding'], 'identity');
        assert.equal(headers['user-agent'], 'flashline');
        const answer = location === undefined ? {} : { status, headers: { location } };
        return Promise.resolve(new Response(location === undefined ? 'x' : null, answer));
      },
    });
    const exchange = new HubExchange(hub, new AbortController().signal, { fileBytes: Infinity });
    try {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      assert.equal(await (await exchange.request(url, { headers })).text(), 'x');
    } finally {
      exchange.end();
    }
    return sent;
  };
  const tokens = async (...args: Parameters<typeof send>): Promise<(string | undefined)[]> =>
    (await send(...args)).map(({ authorization }) => authorization);

  it('sends the token of the user to the Hub alone, also when redirects lead back to it', async () => {
    const bearer = `Bearer ${TOKEN}`;
    assert.deepEqual(await tokens(`${HUB}/file`, [`${STORE}/a`, `${HUB}/b`]), [bearer, undefined, bearer]);
    assert.deepEqual(await tokens(`${STORE}/file`, []), [undefined]);
    const lookalikes = [`${HUB}:444/a`, 'https://hub.example.other.example/a', 'https://a.hub.example/a'];
    for (const lookalike of lookalikes) assert.deepEqual(await tokens(lookalike, []), [undefined]);
  });

  it('drops the token of a store where the store redirects to another host', async () => {
    const requests = [`${STORE}/chunks`, [`${STORE}/b`, `${OTHER}/c`, `${HUB}/d`], 'Bearer store'] as const;
    assert.deepEqual(await tokens(...requests), ['Bearer store', 'Bearer store', undefined, undefined]);
  });

  it('follows every kind of redirect, ten at most, relative ones too', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const sent = await send(`${HUB}/a/b`, ['c', '/d'], undefined, status);
      assert.deepEqual(
        sent.map(({ url }) => url),
        [`${HUB}/a/b`, `${HUB}/a/c`, `${HUB}/d`],
      );
    }
    await assert.rejects(send(`${HUB}/a`, [`${HUB}/b`], undefined, 300), /HTTP status 300/);
    const tenRedirects = Array.from({ length: 10 }, (_, i) => `${HUB}/${i}`);
    assert.equal((await send(`${HUB}/a`, tenRedirects)).length, 11);
    await assert.rejects(send(`${HUB}/a`, [...tenRedirects, `${HUB}/b`]), /too many redirects/);
  });

  it('refuses a redirect to an invalid address, and more bytes of a file than its limit', async () => {
    await assert.rejects(send(`${HUB}/a`, ['http://[']), ({ message, isTemporary }: HubFailure) => {
      assert.deepEqual([message, isTemporary], ['a redirect to an invalid address', false]);
      return true;
    });
    const hub = new Hub({ endpoint: HUB, env: {}, fetch: () => Promise.resolve(new Response('xxxx')) });
    for (const [fileBytes, isRefused] of [
      [4, false],
      [3, true],
    ] as const) {
      const exchange = new HubExchange(hub, new AbortController().signal, { fileBytes });
      const text = (await exchange.request(`${HUB}/a`)).text();
      if (isRefused) await assert.rejects(text, /an oversized answer/);
      else assert.equal(await text, 'xxxx');
      exchange.end();
    }
  });

  it('allows thirty seconds of silence before each answer, and leaves no timer', async () => {
    const clock = new ManualClock();
    const answer = async (ms: number, location?: string): Promise<string | undefined> => {
      const hub = new Hub({
        endpoint: HUB,
        env: {},
        fetch: async (url, { signal }) => {
          await new Promise<void>((resolve) => setTimeout(resolve, ms));
          signal.throwIfAborted();
          if (location === undefined || url === location) return new Response('x');
          return new Response(null, { status: 307, headers: { location } });
        },
      });
      const exchange = new HubExchange(hub, new AbortController().signal, { fileBytes: Infinity });
      try {
        const [text] = await Promise.all([
          exchange.request(`${HUB}/a`).then((response) => response.text()),
          clock.pass(3 * ms),
        ]);
        return text;
      } finally {
        exchange.end();
      }
    };
    assert.equal(await answer(29_000, `${HUB}/b`), 'x');
    assert.equal(clock.timerCount, 0, 'a timer would keep the command line running');
    await assert.rejects(answer(31_000), /no data arrived/);
  });

  it('takes error codes only from the Hub, and treats only the refusal of a store as temporary', async () => {
    const answer = { status: 403, headers: { 'x-error-code': 'GatedRepo' } };
    const hub = new Hub({ endpoint: HUB, env: {}, fetch: () => Promise.resolve(new Response('', answer)) });
    for (const [url, errorCode, isTemporary] of [
      [`${HUB}/a`, 'GatedRepo', false],
      [`${STORE}/a`, undefined, true],
    ] as const) {
      const exchange = new HubExchange(hub, new AbortController().signal, { fileBytes: Infinity });
      await assert.rejects(exchange.request(url), (failure: HubFailure) => {
        assert.deepEqual([failure.errorCode, failure.isTemporary], [errorCode, isTemporary]);
        return true;
      });
      exchange.end();
    }
  });

  it('makes no request without encryption for a Hub that is encrypted', async () => {
    const elsewhere = ['http://127.0.0.1:1/a', 'http://hub.example/a', 'file:///etc/passwd', 'data:,x'];
    for (const address of elsewhere) {
      await assert.rejects(send(address, []), /an address with (http|file|data):/);
      await assert.rejects(send(`${HUB}/file`, [address]), /an address with (http|file|data):/);
    }
  });
});
