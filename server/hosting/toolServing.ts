// Interface through which editors control the HTTP server for other tools.
import type { ServerSettings } from '../protocol/messages';

export interface ToolServing {
  /** Address such as http://127.0.0.1:8080; undefined while the server is off. */
  readonly address: string | undefined;
  /** Starts the server unless it is on, and resolves with its address. Throws UserError if it cannot listen there. */
  start(owner: object, settings: ServerSettings, log: (line: string) => void): Promise<string>;
  stop(): Promise<void>;
  /** Applies the settings of the window that started it, and ignores those of other windows. */
  configure(owner: object, settings: ServerSettings): void;
  /** Calls `listener` at every change until the returned function is called. */
  onChange(listener: () => void): () => void;
}
