// Everything the server says without being asked: its state and what requests cost.
import type { Connection } from 'vscode-languageserver/node';
import { Method, type StatsRow, type StatusParams } from '../protocol';

export interface Outbox {
  status(params: StatusParams): void;
  stats(row: StatsRow): void;
}

export function connectionOutbox(connection: Connection): Outbox {
  // A client that has gone away makes a notification fail; there is nobody left to tell.
  const send = (method: string, params: StatusParams | StatsRow): void => {
    connection.sendNotification(method, params).catch(() => undefined);
  };
  return {
    status: (params) => {
      send(Method.status, params);
    },
    stats: (row) => {
      send(Method.stats, row);
    },
  };
}
