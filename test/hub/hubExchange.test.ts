// Tests the rules for every request to the Hub and its stores, whichever @huggingface/hub makes.
import assert from 'node:assert/strict';
import { Hub } from '../../server/hub/hub';
import { HubExchange } from '../../server/hub/hubExchange';
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
  ): Promise<readonly Sent[]> => {
    const sent: Sent[] = [];
    const hub = new Hub({
      endpoint: HUB,
      token: TOKEN,
      env: {},
      fetch: (address, { headers }) => {
        const location = redirects[sent.length];
        sent.push({ url: address, authorization: headers['authorization'] });
        const answer = location === undefined ? {} : { status: 307, headers: { location } };
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

  it('makes no request without encryption for a Hub that is encrypted', async () => {
    const elsewhere = ['http://127.0.0.1:1/a', 'http://hub.example/a', 'file:///etc/passwd', 'data:,x'];
    for (const address of elsewhere) {
      await assert.rejects(send(address, []), /an address with (http|file|data):/);
      await assert.rejects(send(`${HUB}/file`, [address]), /an address with (http|file|data):/);
    }
  });
});
