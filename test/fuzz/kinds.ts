// All kinds of input that reach Flashline from outside.
import type { AnyKind } from './kind';
import { chatTemplateFile } from './kinds/chatTemplateFile';
import { batchFile, commandLine, sourceFile } from './kinds/commandLine';
import { editorMessages } from './kinds/editorMessages';
import { editorSettings } from './kinds/editorSettings';
import { httpBody, httpWire } from './kinds/httpRequest';
import { hubAnswers } from './kinds/hubAnswers';
import { loadMark } from './kinds/loadMark';
import { drafterConfig, targetConfig } from './kinds/modelConfig';
import { safetensorsHeader } from './kinds/safetensorsHeader';
import { socketFrames } from './kinds/socketFrames';
import { storedProfile } from './kinds/storedProfile';
import { tokenizerFile } from './kinds/tokenizerFile';
import { weightIndex } from './kinds/weightIndex';

export const kinds: readonly AnyKind[] = [
  safetensorsHeader,
  weightIndex,
  targetConfig,
  drafterConfig,
  tokenizerFile,
  chatTemplateFile,
  storedProfile,
  loadMark,
  editorSettings,
  commandLine,
  batchFile,
  sourceFile,
  socketFrames,
  httpWire,
  httpBody,
  hubAnswers,
  editorMessages,
];
