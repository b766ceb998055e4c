// A window in its own process, like an extension host: types and requests until it is killed, and reports its activity.
// Its server is shared or private.
import { fork } from 'node:child_process';
import {
  IPCMessageReader,
  IPCMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { reachServer } from '../../../src/connection/reachServer';
import { WAIT_MS } from '../../editor/waiting';
import { EditorClient } from '../../lsp/editorClient';
import { TYPING_SAMPLES } from './typingSamples';

/** Instructions for the process of a window. */
export interface WindowOrder {
  readonly server: 'shared' | 'private';
  readonly module: string;
  readonly args: readonly string[];
  readonly settings: object;
}

/** Activity of a window, which its process sends to the test. */
export interface WindowReport {
  readonly state: 'loading' | 'requesting' | 'streaming';
  readonly serverProcessId: number;
}

async function connect({ server, module, args }: WindowOrder): Promise<EditorClient> {
  if (server === 'private') {
    const child = fork(module, ['--node-ipc'], { silent: true });
    return new EditorClient(new IPCMessageReader(child), new IPCMessageWriter(child));
  }
  const program = { module, version: '0.0.0', environment: process.env, args, limitMs: WAIT_MS };
  const { socket } = await reachServer(program);
  return new EditorClient(new StreamMessageReader(socket), new StreamMessageWriter(socket));
}

async function typeForever(order: WindowOrder): Promise<never> {
  const client = await connect(order);
  const result = await client.initialize({ ...order.settings, load: 'start' }, process.pid);
  const serverProcessId = Number(result['serverProcessId']);
  const report = (state: WindowReport['state']): void => {
    process.send?.({ state, serverProcessId } satisfies WindowReport);
  };
  report('loading');
  for (let i = 0; ; i++) {
    const sample = TYPING_SAMPLES[i % TYPING_SAMPLES.length];
    if (sample === undefined) throw new Error('TYPING_SAMPLES is empty.');
    const { name, languageId, before, after } = sample;
    const cursor = await client.open(`${String(i)}/${name}`, `${before}║${after}`, languageId);
    report('requesting');
    await client.complete(cursor);
    const request = { uri: cursor.uri, instruction: 'Sort it.', start: cursor.offset, end: cursor.offset };
    await client.generate(request, { onDelta: () => report('streaming') });
  }
}

void typeForever(JSON.parse(process.argv[2] ?? '') as WindowOrder);
