// State of the HTTP server, which all of its requests share.
import { failureLine } from '../rules/failure';
import { Admission } from './admission';
import { BodyReader } from './bodyReader';
import { Metrics } from './metrics';
import type { ServerOptions } from './serverOptions';
import { SharedDecodes } from './sharedDecodes';

export class ServerState {
  readonly admission: Admission;
  readonly bodies: BodyReader;
  readonly metrics: Metrics;
  readonly shared = new SharedDecodes();
  /** Requests in progress, each as the controller that ends it; the reason of an abort is the error for the client. */
  readonly running = new Set<AbortController>();
  readonly #log: (line: string) => void;

  constructor({ limits, maxBodyBytes, log }: ServerOptions) {
    this.admission = new Admission(limits);
    this.bodies = new BodyReader(maxBodyBytes);
    this.metrics = new Metrics(this.admission);
    this.#log = log;
  }

  /** Logs a defect of this program. */
  onDefect(error: unknown): void {
    this.#log(failureLine('a request', error));
  }
}
