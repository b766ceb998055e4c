// Lists the imports of a TypeScript source for the layer rules. Parses the source, so that comments and strings are not
// mistaken for imports.
import { posix } from 'node:path';
import ts from 'typescript';

export interface Import {
  /**
   * A repository path without extension for relative imports, `global NAME` for a global that opens connections, and
   * otherwise the specifier as written.
   */
  readonly target: string;
  /** Whether the compiler erases the import, so that the module is not loaded. */
  readonly isTypeOnly: boolean;
}

export interface SourceFile {
  /** Repository path without extension. */
  readonly path: string;
  readonly imports: readonly Import[];
}

/** Globals that open connections. */
const NETWORK_GLOBALS: ReadonlySet<string> = new Set(['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']);

/** Lists the imports of a source, and its uses of globals that open connections as `global NAME`. */
export function parseSource(file: string, text: string): SourceFile {
  const path = withoutExtension(file);
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isRelative = specifier.text.startsWith('.');
    const target = isRelative
      ? withoutExtension(posix.join(posix.dirname(path), specifier.text))
      : specifier.text;
    imports.push({ target, isTypeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && loadsModule(node.expression)) add(node.arguments[0], false);
    else if (ts.isIdentifier(node) && NETWORK_GLOBALS.has(node.text) && isGlobal(node))
      imports.push({ target: `global ${node.text}`, isTypeOnly: false });
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  visit(source);
  return { path, imports };
}

/**
 * Returns whether a name is used as a global, alone or as `globalThis.name`: not as a declaration, or as a field of
 * another object.
 */
function isGlobal(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent) && parent.name === name)
    return /^(globalThis|global|self|window)$/.test(parent.expression.getText());
  if (ts.isElementAccessExpression(parent)) return true;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  const isDeclared = 'name' in parent && parent.name === name;
  return !isDeclared && !ts.isBindingElement(parent) && !ts.isTypeQueryNode(parent);
}

/**
 * Returns whether a call can load a module: import(), require(), require.resolve() and createRequire(...)(), and any
 * other whose function has "require" in its name.
 */
function loadsModule(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || /require/i.test(callee.getText());
}

function withoutExtension(file: string): string {
  return file.replace(/\.[cm]?[jt]s$/, '');
}
