// Types a trace against the server in its own process.
import type { ServerSettings } from '../../server/protocol/messages';
import { servedProcess } from './servedProcess';
import type { Trace } from './trace';
import { Typist, type Played, type TypistOptions } from './typist';

export interface ReplayRun {
  readonly trace: Trace;
  /** For all others, the server's defaults. */
  readonly settings: Partial<ServerSettings>;
  readonly typing: TypistOptions;
}

export async function playProcess({ trace, settings, typing }: ReplayRun): Promise<Played> {
  const { client, end } = servedProcess();
  try {
    await client.start(settings);
    return await new Typist(client, trace, typing).play();
  } finally {
    await end();
  }
}
