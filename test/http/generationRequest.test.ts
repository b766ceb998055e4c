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
import { GenerationRequest } from '../../server/http/generationRequest';
import type { ServerOptions } from '../../server/http/serverOptions';
import type { ServerState } from '../../server/http/serverState';
import type { Model } from '../../server/hosting/model';
import { passTurns } from '../../server/machine/turns';
import { fake } from '../support/fake';

const ENDPOINT = {
  schema: z.object({ model: z.optional(z.string()) }),
  generation: () => assert.fail('the request runs'),
};

describe('a request for generated text', () => {
  for (const moment of ['its body is read', 'its model is loaded'] as const)
    it(`does not use the model if its client leaves while ${moment}`, async () => {
      const incoming = new IncomingMessage(new Socket());
      const outgoing = new ServerResponse(incoming);
      const leaveAt = (now: typeof moment): void => {
        if (now === moment) outgoing.destroy().emit('close');
      };
      const read = (): Promise<Buffer> => {
        leaveAt('its body is read');
        return Promise.resolve(Buffer.from('{}'));
      };
      let isModelUsed = false;
      const begin = (): (() => void) => {
        isModelUsed = true;
        return () => undefined;
      };
      const model = fake<Model>({ engine: fake({}), begin });
      const use: Lease['use'] = (work) => {
        leaveAt('its model is loaded');
        return work(model);
      };
      const options = fake<ServerOptions>({ models: fake<Lease>({ use }), timeoutMs: 1000 });
      const state = fake<ServerState>({
        bodies: fake<BodyReader>({ read }),
        admission: new Admission({ running: 1, waiting: 1 }),
        running: new Set(),
      });
      const app = new Hono<{ Bindings: HttpBindings }>();
      app.post('/', (context) => new GenerationRequest(context, ENDPOINT, options, state).respond());
      app.onError(({ message }, context) => context.text(message));
      const headers = { 'content-type': 'application/json' };
      const answer = await app.request('/', { method: 'POST', headers }, { incoming, outgoing });
      assert.equal(await answer.text(), 'The client closed the connection.');
      await passTurns(3);
      assert.equal(isModelUsed, false);
      assert.deepEqual([state.admission.running, state.running.size], [0, 0]);
    });
});
