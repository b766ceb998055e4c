// Parts shared by the commands that give a model an instruction.
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from '../gate/gate';
import type { ServerDocuments } from '../connection/serverDocuments';
import type { GenerationRun } from './generationRun';
import type { Purpose } from './baseModel';

export interface InstructParts {
  readonly client: FlashlineClient;
  readonly gate: EditorGate;
  readonly documents: ServerDocuments;
  readonly run: GenerationRun;
  /** Returns whether to give the model in use an instruction; asks the user if it is a base model. */
  readonly mayInstruct: (purpose: Purpose) => Promise<boolean>;
}
