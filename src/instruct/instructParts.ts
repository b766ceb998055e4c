// Parts shared by the commands that give a model an instruction.
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../ghostText/gate';
import type { ServerDocuments } from '../connection/serverDocuments';
import type { GenerationRun } from './generationRun';
import type { Purpose } from './baseModel';

/** What the commands need that ask a model in words. */
export interface InstructParts {
  readonly client: Pick<FlashlineClient, 'stream'>;
  readonly gate: EditorGate;
  readonly documents: ServerDocuments;
  readonly run: GenerationRun;
  /** Whether a person wants it of the model in use; says so where that cannot do it. */
  readonly mayInstruct: (purpose: Purpose) => Promise<boolean>;
}
