import { createHmac, timingSafeEqual } from 'node:crypto';
import express from 'express';

const app = express();
const secret = process.env.WEBHOOK_SECRET;
const processed = new Set();

app.use('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }));

function isSigned(body, signature) {
  const expected = createHmac('sha256', secret).update(body).digest();
  const received = Buffer.from(signature, 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

const handlers = {
  'payment.succeeded': async ({ orderId, amount }) => {
    console.log(`Order ${orderId} was paid: ${amount}`);
  },
  'payment.failed': async ({ orderId, reason }) => {
    console.warn(`Payment of order ${orderId} failed: ${reason}`);
  },
  'payment.refunded': async ({ orderId, amount }) => {
    console.log(`Order ${orderId} was refunded: ${amount}`);
  },
};

app.post('/webhooks/payments', async (req, res) => {
  const signature = req.get('X-Signature') ?? '';
  if (!isSigned(req.body, signature)) {
    return res.status(401).send('Invalid signature');
  }
  const event = JSON.parse(req.body.toString());
  if (processed.has(event.id)) return res.sendStatus(200);
  const handler = handlers[event.type];
  if (!handler) return res.status(400).send(`Unknown event type: ${event.type}`);
  try {
    await handler(event.data);
    processed.add(event.id);
    res.sendStatus(200);
  } catch (error) {
    console.error('Webhook failed', error);
    res.sendStatus(500);
  }
});

app.listen(process.env.PORT ?? 3000);
