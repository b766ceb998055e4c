// The connection to one window among several. To the library a connection is the whole life of the process: it ends
// with the first client that says so or goes away. Here those messages end the connection only.
import type { Socket } from 'node:net';
import {
  CancellationSenderStrategy,
  CancellationTokenSource,
  createConnection,
  Message,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
  type CancellationId,
  type Connection,
  type MessageStrategy,
  type RequestMessage,
  type ResponseMessage,
} from 'vscode-languageserver/node';

export interface WindowConnection {
  readonly connection: Connection;
  /** Cancels the requests that run, as nobody waits for them any more. */
  readonly cancelAll: () => void;
}

export function windowConnection(socket: Socket): WindowConnection {
  const running = new Map<CancellationId, CancellationTokenSource>();
  const writer = new StreamMessageWriter(socket);
  const handleMessage: MessageStrategy['handleMessage'] = async (message, next) => {
    if (Message.isNotification(message) && message.method === 'exit') return void socket.end();
    if (!Message.isRequest(message)) return await next(message);
    const { jsonrpc, id, method } = message;
    if (method === 'shutdown') {
      // What the window used is let go of when it has gone, which not every window announces.
      const answer: ResponseMessage = { jsonrpc, id, result: null };
      return await writer.write(answer);
    }
    try {
      await next(method === 'initialize' ? withoutProcess(message) : message);
    } finally {
      if (id !== null) running.delete(id);
    }
  };
  // A reader of messages and not a stream, at whose end the library would end the process.
  const connection = createConnection(ProposedFeatures.all, new StreamMessageReader(socket), writer, {
    messageStrategy: { handleMessage },
    cancellationStrategy: {
      sender: CancellationSenderStrategy.Message,
      receiver: {
        createCancellationTokenSource: (id) => {
          const source = new CancellationTokenSource();
          running.set(id, source);
          return source;
        },
      },
    },
  });
  return {
    connection,
    cancelAll: () => {
      for (const source of running.values()) source.cancel();
    },
  };
}

/** The library would watch the process of this window and end with it. */
function withoutProcess(message: RequestMessage): RequestMessage {
  return { ...message, params: { ...message.params, processId: null } };
}
