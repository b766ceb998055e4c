// Finds definitions in other files: by the editor's language support, or in the file that an import names. Returns only
// text that prompts can quote.
import * as vscode from 'vscode';
import { MAX_DEFINITION_LENGTH, type DefinitionsParams } from '../../server/protocol/messages';
import { definitionIn, moduleFiles, type ImportedName } from '../../server/rules/imports';
import type { EditorGate } from '../gate/gate';

/** Maximum number of definitions to read for one name. */
const MAX_LOCATIONS = 4;
const MAX_FILE_BYTES = 512 * 1024;

export type Definition = DefinitionsParams['definitions'][number];
type DefinitionLocation = vscode.Location | vscode.LocationLink;

export class DefinitionSearch {
  constructor(private readonly gate: EditorGate) {}

  /** Finds the definition of an imported name. Without language support, looks in the file that the import names. */
  async importedDefinitions(document: vscode.TextDocument, name: ImportedName): Promise<Definition[]> {
    const position = new vscode.Position(name.line, name.character);
    return (await this.definitionsAt(document, position)) ?? (await this.#byImport(document, name));
  }

  /** Finds the definition of the name at a position; undefined if no language support knows one. */
  async definitionsAt(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<Definition[] | undefined> {
    return await this.#byLanguageSupport('vscode.executeDefinitionProvider', document, position);
  }

  /** Finds the type of the name at a position; undefined if no language support knows one. */
  async typeDefinitionsAt(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<Definition[] | undefined> {
    return await this.#byLanguageSupport('vscode.executeTypeDefinitionProvider', document, position);
  }

  async #byLanguageSupport(
    command: string,
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<Definition[] | undefined> {
    const locations = await vscode.commands.executeCommand<readonly DefinitionLocation[]>(
      command,
      document.uri,
      position,
    );
    if (locations.length === 0) return undefined;
    return await this.#read(document, locations.slice(0, MAX_LOCATIONS));
  }

  async #byImport(document: vscode.TextDocument, { name, module = '' }: ImportedName): Promise<Definition[]> {
    const folder = vscode.Uri.joinPath(document.uri, '..');
    const root = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
    const folders = document.languageId === 'python' && root ? [folder, root] : [folder];
    const files = folders.flatMap((start) =>
      moduleFiles(module, document.languageId).map((path) => vscode.Uri.joinPath(start, path)),
    );
    for (const uri of files) {
      const source = await this.#text(uri);
      if (source === undefined) continue;
      const text = definitionIn(source, name);
      return text === undefined ? [] : [{ uri: uri.toString(), text: text.slice(0, MAX_DEFINITION_LENGTH) }];
    }
    return [];
  }

  /** Reads definitions in other files that prompts can quote. */
  async #read(
    document: vscode.TextDocument,
    locations: readonly DefinitionLocation[],
  ): Promise<Definition[]> {
    const definitions: Definition[] = [];
    for (const location of locations) {
      const [uri, { start }] =
        'uri' in location ? [location.uri, location.range] : [location.targetUri, location.targetRange];
      if (String(uri) === String(document.uri)) continue;
      const lines = (await this.#text(uri))?.split('\n').slice(start.line);
      if (lines)
        definitions.push({ uri: uri.toString(), text: lines.join('\n').slice(0, MAX_DEFINITION_LENGTH) });
    }
    return definitions;
  }

  /**
   * Returns the text in the editor, else on disk; undefined for a folder, and for a file that prompts must not quote,
   * that is too large or that cannot be read.
   */
  async #text(uri: vscode.Uri): Promise<string | undefined> {
    if (this.gate.isUnquotable(uri)) return undefined;
    const open = vscode.workspace.textDocuments.find((candidate) => String(candidate.uri) === String(uri));
    if (open) return open.getText();
    try {
      const { size, type } = await vscode.workspace.fs.stat(uri);
      // Reading from a pipe or a device would not end.
      if (size > MAX_FILE_BYTES || (type & vscode.FileType.File) === 0) return undefined;
      return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    } catch {
      // Most often, there is no such file.
      return undefined;
    }
  }
}
