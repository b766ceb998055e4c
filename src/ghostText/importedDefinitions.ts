// What a file imports from others of its workspace, found by the editor's own language support and told to the server,
// which quotes what it looks like from outside. Nothing waits for it: prompts have it from the next request on.
import * as vscode from 'vscode';
import { Method, type DefinitionsParams } from '../../server/protocol/messages';
import type { FlashlineClient } from '../connection/client';
import type { EditorGate } from './gate';
import { importedNames, type ImportedName } from './importedNames';

/** A prompt has room for a few. */
const MOST_NAMES = 16;
/** Language support may be busy with other work, or never answer. */
const LONGEST_MS = 1500;
/** What is imported may have changed since; and an answer that came too late may be there now. */
const AGAIN_MS = 60_000;
const LARGEST_FILE = 512 * 1024;
const LONGEST_DEFINITION = 20_000;

type Definitions = DefinitionsParams['definitions'];
type Place = vscode.Location | vscode.LocationLink;

interface Told {
  readonly imports: string;
  readonly at: number;
}

export class ImportedDefinitions {
  #told = new WeakMap<vscode.TextDocument, Told>();

  constructor(
    private readonly gate: Pick<EditorGate, 'unquotable'>,
    private readonly client: Pick<FlashlineClient, 'notify'>,
    private readonly log: Pick<vscode.LogOutputChannel, 'warn'>,
  ) {}

  /** A server that starts knows nothing. */
  reset(): void {
    this.#told = new WeakMap();
  }

  /** A suggestion is requested in `document`, which the server knows. Cheap while its imports are the same. */
  requested(document: vscode.TextDocument): void {
    const names = importedNames(headOf(document)).slice(0, MOST_NAMES);
    const imports = JSON.stringify(names);
    const now = performance.now();
    const told = this.#told.get(document);
    if (told?.imports === imports && now - told.at < AGAIN_MS) return;
    this.#told.set(document, { imports, at: now });
    if (names.length === 0 && told === undefined) return;
    this.#tell(document, names).catch((error: unknown) => {
      this.log.warn(`Definitions for ${document.languageId} could not be found: ${String(error)}`);
    });
  }

  async #tell(document: vscode.TextDocument, names: readonly ImportedName[]): Promise<void> {
    const definitions = await this.#definitions(document, names);
    const params: DefinitionsParams = { uri: document.uri.toString(), definitions };
    this.client.notify((client) => client.sendNotification(Method.definitions, params));
  }

  /** One name after the other, as language support has other work to do; until the time is over. */
  async #definitions(document: vscode.TextDocument, names: readonly ImportedName[]): Promise<Definitions> {
    const end = performance.now() + LONGEST_MS;
    const found: { uri: string; text: string }[] = [];
    for (const { line, character } of names) {
      const places = await within(end, definitionsAt(document.uri, new vscode.Position(line, character)));
      for (const place of places ?? []) {
        const definition = await within(end, this.#read(document, place));
        if (definition) found.push(definition);
      }
      if (performance.now() >= end) break;
    }
    return found;
  }

  /** Undefined for what no prompt may quote, and for what is too large. */
  async #read(document: vscode.TextDocument, place: Place) {
    const [uri, { start }] = 'uri' in place ? [place.uri, place.range] : [place.targetUri, place.targetRange];
    if (String(uri) === String(document.uri) || this.gate.unquotable(uri)) return undefined;
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > LARGEST_FILE) return undefined;
    const lines = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri)).split('\n');
    return { uri: uri.toString(), text: lines.slice(start.line).join('\n').slice(0, LONGEST_DEFINITION) };
  }
}

/** Enough lines for its imports. */
function headOf(document: vscode.TextDocument): string {
  return document.getText(new vscode.Range(0, 0, Math.min(document.lineCount, 300), 0));
}

async function definitionsAt(uri: vscode.Uri, position: vscode.Position): Promise<readonly Place[]> {
  const found = await vscode.commands.executeCommand<readonly Place[] | undefined>(
    'vscode.executeDefinitionProvider',
    uri,
    position,
  );
  return found ?? [];
}

/** Undefined if it takes longer, or fails: then this one is left out. */
async function within<T>(end: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, end - performance.now()), undefined);
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
