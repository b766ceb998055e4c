// Options of the HTTP server. They do not change while it runs.
import type { Lease } from '../hosting/lease';
import type { Access } from './access';
import type { AdmissionLimits } from './admission';

export interface ServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly access: Access;
  readonly models: Lease;
  /** Whether a request that names a model must name the one that is served; by default any name is accepted. */
  readonly strictModel?: boolean;
  readonly limits: AdmissionLimits;
  readonly maxBodyBytes: number;
  /** Time limit of a request for text, from its complete body to the end of its output. */
  readonly timeoutMs: number;
  /** Logs a failure. Only the message of an internal error can quote a request. */
  readonly log: (line: string) => void;
  /** Logs a line per request, without its text; by default, requests are not logged. */
  readonly logRequest?: (line: string) => void;
}

export const SERVER_DEFAULTS = {
  limits: { running: 4, waiting: 64 },
  maxBodyBytes: 4e6,
  timeoutMs: 600_000,
} as const satisfies Partial<ServerOptions>;
