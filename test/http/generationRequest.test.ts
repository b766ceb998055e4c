// Tests that a request whose client has left is not run. Bodies and models are fakes.
import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import * as z from 'zod/mini';
import type { Lease } from '../../server/hosting/lease';
import { Admission } from '../../server/http/admission';
import type { BodyReader } from '../../server/http/bodyReader';
import { GenerationRequest, type GenerationParts } from '../../server/http/generationRequest';
import { fake } from '../support/fake';

const ENDPOINT = {
  schema: z.object({ model: z.optional(z.string()) }),
  generation: () => assert.fail('the request runs'),
};

describe('a request for generated text', () => {
  it('does not use the model if its client leaves while the body is read', async () => {
    const incoming = new IncomingMessage(new Socket());
    const outgoing = new ServerResponse(incoming);
    const read = (): Promise<Buffer> => {
      outgoing.destroy();
      return Promise.resolve(Buffer.from('{}'));
    };
    let isModelUsed = false;
    const use = (): Promise<never> => {
      isModelUsed = true;
      return Promise.reject(new Error('the model is used'));
    };
    const parts = fake<GenerationParts>({
      models: fake<Lease>({ use }),
      bodies: fake<BodyReader>({ read }),
      admission: new Admission({ running: 1, waiting: 1 }),
      running: new Set(),
      timeoutMs: 1000,
    });
    const app = new Hono<{ Bindings: HttpBindings }>();
    app.post('/', (context) => new GenerationRequest(context, ENDPOINT, parts).respond());
    app.onError(({ message }, context) => context.text(message));
    const headers = { 'content-type': 'application/json' };
    const answer = await app.request('/', { method: 'POST', headers }, { incoming, outgoing });
    assert.equal(await answer.text(), 'The client closed the connection.');
    assert.equal(isModelUsed, false);
  });
});
