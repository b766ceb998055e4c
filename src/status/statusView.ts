// Everything that the status bar entry depends on.
import type { ConnectionState } from '../connection/client';
import type { StatusParams, StatsRow } from '../../server/protocol/messages';
import type { RunningDownload } from '../models/downloads';
import type { EditorGate } from '../gate/gate';
import type { AcceptanceCounts } from '../ghostText/acceptanceCounter';
import type { Speed } from './suggestionTimes';

export interface StatusView {
  readonly connection: ConnectionState;
  /** Last report of the server; undefined before the first. */
  readonly server?: StatusParams | undefined;
  /** Download of a model in the background. */
  readonly download?: RunningDownload | undefined;
  /** Last request for ghost text; undefined before the first. */
  readonly lastRow?: StatsRow | undefined;
  /** Reason why nothing is suggested in the active editor. */
  readonly pause?: ReturnType<EditorGate['activeEditorPause']>;
  readonly trigger: 'automatic' | 'manual';
  /** Base name of the active file. */
  readonly file?: string | undefined;
  readonly acceptance: AcceptanceCounts;
  /** Median time to a suggestion, ms; undefined before the first. */
  readonly suggestionMs?: number | undefined;
  /** Last measured speed of the model in use; undefined before the first. */
  readonly speed?: Speed | undefined;
  /** Activity of next edits; undefined while they are off. */
  readonly nextEdit?: string | undefined;
}
