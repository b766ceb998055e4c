// Finds out whether one function of the sources calls another, as "Go to Definition" and "Go to Implementations" of an
// editor do. Modules of packages are not read.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

export interface Step {
  readonly file: string;
  /** `f`, `Class` for its constructor, `Class.method` or `Class.#method`. */
  readonly name: string;
  /** Constant with the name of a message that the function sends and the next step handles. */
  readonly sent?: string;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts'],
  types: [],
  strict: true,
  noEmit: true,
};

export class CallGraph {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(files: readonly string[]) {
    const host = ts.createCompilerHost(OPTIONS);
    host.resolveModuleNameLiterals = (literals, importer) =>
      literals.map(({ text }) => ({ resolvedModule: sourceOf(text, importer) }));
    this.#program = ts.createProgram([...new Set(files)], OPTIONS, host);
    this.#checker = this.#program.getTypeChecker();
  }

  /** Returns what is missing between two steps, if anything. Throws for a step that does not exist. */
  problem(from: Step, to: Step): string | undefined {
    const [caller, callee] = [this.#declaration(from), this.#declaration(to)];
    if (from.sent === undefined)
      return this.#calls(caller, callee) ? undefined : `${from.name} does not call ${to.name}`;
    const [sent, received] = [this.#constant(caller, from.sent), this.#constant(callee, from.sent)];
    const isSame = sent !== undefined && sent === received;
    return isSame ? undefined : `${from.name} and ${to.name} do not both name ${from.sent}`;
  }

  #declaration({ file, name }: Step): ts.NamedDeclaration {
    const source = this.#program.getSourceFile(file) ?? assert.fail(`No source file ${file}`);
    const [outer = '', member] = name.split('.');
    const found = source.statements.filter(isNamed).find((statement) => statement.name?.text === outer);
    const members = found && ts.isClassDeclaration(found) ? found.members : [];
    const isMember = (element: ts.ClassElement) => nameOf(element) === member && !isOverload(element);
    const declaration = member === undefined ? found : members.find(isMember);
    return declaration ?? assert.fail(`No ${name} in ${file}`);
  }

  #calls(caller: ts.NamedDeclaration, callee: ts.NamedDeclaration): boolean {
    return nodesIn(bodyOf(caller)).some((node) => {
      if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
      if (ts.isNewExpression(node) !== ts.isClassDeclaration(callee)) return false;
      return this.#declarationsOf(node.expression).some(
        (called) => called === callee || this.#implements(callee, called),
      );
    });
  }

  /** Returns whether `method` belongs to a class that implements the interface of `called`. */
  #implements(method: ts.NamedDeclaration, called: ts.Declaration): boolean {
    const isMember = ts.isInterfaceDeclaration(called.parent) && nameOf(called) === nameOf(method);
    return isMember && this.#bases(method.parent).includes(called.parent);
  }

  /** Returns the interfaces of a class or an interface, with those that they extend. */
  #bases(type: ts.Node): ts.Declaration[] {
    if (!ts.isClassDeclaration(type) && !ts.isInterfaceDeclaration(type)) return [];
    const named = (type.heritageClauses ?? []).flatMap(({ types }) => types);
    const bases = named.flatMap(({ expression }) => this.#declarationsOf(expression));
    return bases.flatMap((base) => [base, ...this.#bases(base)]);
  }

  /** Returns the declaration of a constant that a function names. */
  #constant(user: ts.NamedDeclaration, name: string): ts.Declaration | undefined {
    const use = nodesIn(bodyOf(user)).find((node) => ts.isExpression(node) && node.getText() === name);
    return use && this.#declarationsOf(use)[0];
  }

  #declarationsOf(expression: ts.Node): readonly ts.Declaration[] {
    const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    const symbol = this.#checker.getSymbolAtLocation(name);
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol)?.declarations ?? [];
  }
}

function isNamed(statement: ts.Statement): statement is ts.FunctionDeclaration | ts.ClassDeclaration {
  const isFunction = ts.isFunctionDeclaration(statement) && statement.body !== undefined;
  return isFunction || ts.isClassDeclaration(statement);
}

function isOverload(member: ts.ClassElement): boolean {
  return ts.isMethodDeclaration(member) && member.body === undefined;
}

function nameOf(declaration: ts.NamedDeclaration): string | undefined {
  const { name } = declaration;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : undefined;
}

/** Returns the code that runs when a declaration is called; of a class, that of its constructor. */
function bodyOf(declaration: ts.NamedDeclaration): ts.Node {
  if (!ts.isClassDeclaration(declaration)) return declaration;
  const constructor = declaration.members.find(ts.isConstructorDeclaration);
  return constructor ?? assert.fail(`No constructor of ${nameOf(declaration) ?? 'a class'}`);
}

function nodesIn(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesIn(child)));
  return nodes;
}

/** Returns the file of one of our modules; undefined for a package. */
function sourceOf(module: string, importer: string): ts.ResolvedModuleFull | undefined {
  const resolvedFileName = `${resolve(dirname(importer), module)}.ts`;
  if (!module.startsWith('.') || !existsSync(resolvedFileName)) return undefined;
  return { resolvedFileName, extension: ts.Extension.Ts, isExternalLibraryImport: false };
}
