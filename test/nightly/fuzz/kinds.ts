// Lists all kinds of outside input.
import type { AnyKind } from './kind';
import { chatTemplateFile } from './kinds/chatTemplateFile';
import { batchFile, commandLine, sourceFile } from './kinds/commandLine';
import { editorMessages } from './kinds/editorMessages';
import { editorSettings } from './kinds/editorSettings';
import { httpBody, httpWire } from './kinds/httpRequest';
import { hubAnswers } from './kinds/hubAnswers';
import { drafterConfig, targetConfig } from './kinds/modelConfig';
import { socketFrames } from './kinds/socketFrames';
import { storedProfile } from './kinds/storedProfile';
import { tokenizerFile } from './kinds/tokenizerFile';
import { safetensorsHeader, weightIndex } from './kinds/weightFiles';

/** Fastest first. */
export const kinds: readonly AnyKind[] = [
  safetensorsHeader,
  weightIndex,
  sourceFile,
  commandLine,
  editorSettings,
  batchFile,
  storedProfile,
  tokenizerFile,
  chatTemplateFile,
  drafterConfig,
  targetConfig,
  hubAnswers,
  socketFrames,
  httpWire,
  httpBody,
  editorMessages,
];
