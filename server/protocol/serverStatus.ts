// What the server tells of its status, and of the model that it uses. Types only, like protocol.ts, which has the message.
import type { ServerSettings } from '../rules/serverSettings';

/**
 * asleep: no model is in memory; the next request loads one. connecting and unreachable: of a remote engine, which is
 * tried again when a request comes after a pause.
 */
export type ServerState =
  'starting' | 'asleep' | 'loading' | 'connecting' | 'ready' | 'generating' | 'unreachable' | 'error';

export interface StatusParams {
  readonly state: ServerState;
  /** Loading only: 0 to 1. */
  readonly progress?: number;
  /** Error and unreachable only: one line that says what is wrong and what to do. */
  readonly message?: string;
  /** Connecting and unreachable only: host and port of the remote engine. */
  readonly host?: string;
  /** Once loaded. */
  readonly model?: ModelInfo;
  /** Ready only: why the model of the settings could not be loaded and another one is in use; a line as above. */
  readonly fallback?: string;
  /** What the settings named when this was told. */
  readonly chosen?: Pick<ServerSettings, 'target' | 'drafter'>;
  /** Asleep only: why the models left memory; `unused` if there was no request yet. */
  readonly asleepBecause?: 'unused' | 'idle' | 'memory';
  /** Why automatic requests get nothing, if they do not: this machine runs on battery, and the settings say so. */
  readonly paused?: 'battery';
  /** Messages of this client that were not as the protocol has them: a defect. Absent where there are none. */
  readonly wrongMessages?: number;
}

export interface ModelInfo {
  readonly target: string;
  /** Undefined if there is none. */
  readonly drafter?: string;
  /** Why there is no drafter although one was named: a line that says what is wrong and what to do. */
  readonly drafterProblem?: string;
  readonly device: 'cpu' | 'gpu' | 'remote';
  /** The prompt format of ghost text. */
  readonly infill: 'fim' | 'chat' | 'prefix';
  readonly maxDraftTokens: number;
  /** It only continues text: instructions reach it as a comment above the place. */
  readonly isBase?: true;
  /** Of a remote engine, to which prompts are sent. */
  readonly remote?: RemoteInfo;
}

export interface RemoteInfo {
  /** Host and port. */
  readonly host: string;
}
