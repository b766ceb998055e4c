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
import { KNOWN_PLACES } from './knownPlaces';

export interface WindowOrder {
  readonly server: 'shared' | 'own';
  readonly module: string;
  readonly args: readonly string[];
  readonly settings: object;
}

export interface WindowNews {
  readonly state: 'loading' | 'asking' | 'streaming';
  readonly serverProcessId: number;
}

async function connect({ server, module, args }: WindowOrder): Promise<EditorClient> {
  if (server === 'own') {
    const child = fork(module, ['--node-ipc'], { silent: true });
    return new EditorClient(new IPCMessageReader(child), new IPCMessageWriter(child));
  }
  const program = { module, version: '0.0.0', environment: process.env, args, limitMs: WAIT_MS };
  const { socket } = await reachServer(program);
  return new EditorClient(new StreamMessageReader(socket), new StreamMessageWriter(socket));
}

async function live(order: WindowOrder): Promise<never> {
  const client = await connect(order);
  const result = await client.initialize({ ...order.settings, load: 'start' }, process.pid);
  const serverProcessId = Number(result['serverProcessId']);
  const report = (state: WindowNews['state']): void => {
    process.send?.({ state, serverProcessId } satisfies WindowNews);
  };
  report('loading');
  for (let i = 0; ; i++) {
    const knownPlace = KNOWN_PLACES[i % KNOWN_PLACES.length];
    if (knownPlace === undefined) throw new Error('KNOWN_PLACES is empty.');
    const { name, languageId, before, after } = knownPlace;
    const place = await client.open(`${String(i)}/${name}`, `${before}║${after}`, languageId);
    report('asking');
    await client.complete(place);
    const request = { uri: place.uri, instruction: 'Sort it.', start: place.offset, end: place.offset };
    await client.generate(request, { onDelta: () => report('streaming') });
  }
}

void live(JSON.parse(process.argv[2] ?? '') as WindowOrder);
