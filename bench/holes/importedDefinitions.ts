// Finds the definitions that a file imports from other files of its project, like an editor without a language service.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Definition } from '../../server/completion/prompt/definitions';
import { definitionIn, importedNames, moduleFiles } from '../../server/rules/imports';

/** Returns the imported definitions. `text` is that of `file` without the removed part. */
export function importedDefinitions(file: string, languageId: string, text: string): Definition[] {
  return importedNames(text).flatMap(({ name, module = '' }) => {
    const paths = moduleFiles(module, languageId).map((path) => join(dirname(file), path));
    const path = paths.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
    const defined = path === undefined ? undefined : definitionIn(readFileSync(path, 'utf8'), name);
    return path === undefined || defined === undefined
      ? []
      : [{ uri: path, fileName: basename(path), text: defined }];
  });
}
