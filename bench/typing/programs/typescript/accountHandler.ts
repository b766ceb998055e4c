import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

interface Account {
  id: string;
  email: string;
  createdAt: Date;
}

const accounts = new Map<string, Account>();

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

export async function handleAccounts(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'GET') {
    const account = accounts.get(url.searchParams.get('id') ?? '');
    if (account === undefined) return sendJson(response, 404, { error: 'Account not found' });
    return sendJson(response, 200, account);
  }
  if (request.method === 'POST') {
    const { email } = (await readJson(request)) as { email?: string };
    if (!email?.includes('@')) return sendJson(response, 400, { error: 'A valid email is required' });
    const account: Account = { id: randomUUID(), email, createdAt: new Date() };
    accounts.set(account.id, account);
    return sendJson(response, 201, account);
  }
  sendJson(response, 405, { error: 'Method not allowed' });
}
