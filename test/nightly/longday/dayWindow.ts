// A simulated window in a replay of a long day (longDay.ts): a connection to the shared server that types traces.
import { StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { ReplayClient } from '../../../bench/replay/replayClient';
import { sources } from '../../../bench/replay/sources';
import { newTrace, type Trace, type TraceEvent } from '../../../bench/replay/trace';
import { Typist } from '../../../bench/replay/typist';
import type { ServerSettings } from '../../../server/protocol/messages';
import { until } from '../../editor/waiting';
import type { SharedWindows } from '../../socket/sharedWindows';

export type DaySettings = Partial<ServerSettings>;

interface TypingOptions {
  readonly seed: number;
  readonly keys: number;
  readonly speed: number;
  readonly signal: AbortSignal;
}

export class DayWindow {
  private constructor(
    private readonly client: ReplayClient,
    readonly close: () => Promise<void>,
  ) {}

  static async open(windows: SharedWindows, environment: NodeJS.ProcessEnv): Promise<DayWindow> {
    const { socket } = await windows.reach(environment);
    const client = new ReplayClient(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    socket.once('close', () => client.lost());
    await client.start({ load: 'start' });
    return new DayWindow(client, async () => {
      await client.shutdown();
      client.exit();
      socket.end();
    });
  }

  /** Types a trace in new documents, which are closed at the end. */
  async type({ seed, keys, speed, signal }: TypingOptions) {
    const trace = closingAll(newTrace(sources([]), { seed, keys, generate: true }));
    const { requests, texts, interrupted } = await new Typist(this.client, trace, { speed, signal }).play();
    const shown = requests.filter(
      ({ text, rows, cancelMs }) => text !== undefined && rows.length > 0 && cancelMs === undefined,
    );
    const wrong = trace.documents.filter(({ end }, i) => texts[i] !== undefined && texts[i] !== end);
    return {
      /** Milliseconds from requests to suggestions that the engine computed and that were shown. */
      times: shown.map(({ ms }) => ms),
      /** Documents that differ from the trace. */
      wrong: interrupted ? [] : wrong.map(({ fileName }) => fileName),
    };
  }

  configure(settings: DaySettings): void {
    this.client.configure({ load: 'start', ...settings });
  }

  async waitUntil(state: 'ready' | 'asleep'): Promise<void> {
    await until(`the model is ${state}`, () => this.client.state === state);
  }
}

/** Returns the trace with all its documents closed at the end. */
function closingAll(trace: Trace): Trace {
  const open = new Set<number>();
  for (const event of trace.events) {
    if (event.kind === 'open') open.add(event.document);
    if (event.kind === 'close') open.delete(event.document);
  }
  const closing = [...open].map((document): TraceEvent => ({ kind: 'close', document, pauseMs: 0 }));
  return { ...trace, events: [...trace.events, ...closing] };
}
