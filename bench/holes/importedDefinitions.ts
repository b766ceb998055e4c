// The definitions that a file imports from others of its project, as an editor's language service would find them:
// relative imports of TypeScript, JavaScript and Python, and the line that defines each name.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Definition } from '../../server/completion/prompt/definitions';

const IMPORTS = [
  /^import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/gm,
  /^const\s+\{([^}]*)\}\s*=\s*require\('(\.[^']+)'\)/gm,
];
const PYTHON_IMPORT = /^from\s+([\w.]+)\s+import\s+(.+)$/gm;

/** `file` is read without what is missing in it: `text`. */
export function importedDefinitions(file: string, text: string): Definition[] {
  const python = [...text.matchAll(PYTHON_IMPORT)].map(([, module = '', names = '']) => ({
    names,
    path: join(dirname(file), `${module.replaceAll('.', '/')}.py`),
  }));
  const others = IMPORTS.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, names = '', path = '']) => ({
      names,
      path: resolved(join(dirname(file), path)),
    })),
  );
  return [...python, ...others].flatMap(({ names, path }) =>
    path !== undefined && existsSync(path) ? definitionsIn(path, names) : [],
  );
}

function definitionsIn(path: string, names: string): Definition[] {
  const source = readFileSync(path, 'utf8');
  return names.split(',').flatMap((each) => {
    const name = each.replace(/\btype\b/, '').trim();
    const defined = new RegExp(
      `^(?:@.*\\n)*(?:export\\s+)?(?:async\\s+)?(?:class|interface|enum|type|function|const|let|def)\\s+${name}\\b|^${name}\\s*[:=]`,
      'm',
    ).exec(source);
    return defined ? [{ uri: path, fileName: basename(path), text: source.slice(defined.index) }] : [];
  });
}

function resolved(path: string): string | undefined {
  return [path, `${path}.ts`, `${path}.js`].find((each) => existsSync(each));
}
