// Interface with which an editor controls the HTTP server that other tools use.
import type { ServerSettings } from '../protocol/messages';

export interface HttpServing {
  /** Address such as http://127.0.0.1:8080; undefined while the server is off. */
  readonly address: string | undefined;
  /**
   * Starts the server unless it is on, and resolves with its address. `owner` identifies the window; the settings of
   * the window that has started the server apply. Rejects with UserError if the server cannot listen.
   */
  start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<string>;
  stop(): Promise<void>;
  /** Applies the settings if `owner` has started the server; ignores those of other windows. */
  configure(owner: object, settings: ServerSettings): void;
  /** Calls `listener` when the server starts or stops, until the returned function is called. */
  onChange(listener: () => void): () => void;
}
