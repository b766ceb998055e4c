// Published and bundled files for the tests of accepted suggestions: the kind of token at each character, the units
// that a user types in one go, and whether another text in their place still parses. TypeScript's own parser reads
// scripts and JSON, and Python's reads Python.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import type { TokenKind } from './typedByHand';

export interface Source {
  readonly path: string;
  readonly text: string;
  /** Kind of the token at each character. */
  readonly kinds: readonly TokenKind[];
  /** Ranges that a user types in one go: statements, members, elements and properties. */
  readonly units: readonly (readonly [start: number, end: number])[];
}

/** A document around the cursor. */
export interface CursorDocument {
  readonly before: string;
  readonly after: string;
  /** Continuations to try in addition to the usual ones. */
  readonly more?: readonly string[];
}

/** Result for a document: whether it parses as it is, or with a short continuation at the cursor. */
export type Parses = 'as it is' | 'if it goes on' | 'never';

/** Returns one result for each document, in their order. */
export type Parser = (documents: readonly CursorDocument[]) => readonly Parses[];

/** Short continuations to try. */
export interface Endings {
  /** Continuations at the cursor. */
  readonly words: readonly string[];
  /** Continuations at the end of the cursor's line. */
  readonly lineEnds: readonly string[];
}

const SCRIPT_ENDINGS: Endings = {
  words: ['', 'x', ' x', '.x', ' {}', 'x {}', 'x: x', ' => x', ' in x'],
  lineEnds: ['', ',', ' {}', ' => x', ': x'],
};
const PYTHON_ENDINGS: Endings = {
  words: ['', ':', 'x', ' x', ': x', ' x: x', ' in x: x', '.x', ' import x', '(): x'],
  lineEnds: ['', ':', ',', ': x', ' in x: x'],
};

export function scriptSource(path: string, text: string): Source {
  const file = parsed(text, path);
  const kinds = Array<TokenKind>(text.length + 1).fill('other');
  const units: [number, number][] = [];
  const visit = (node: ts.Node): void => {
    const start = node.getStart(file);
    const children = node.getChildren(file);
    if (isUnit(node)) units.push([start, node.end]);
    if (children.length === 0) {
      const space = text.slice(node.pos, start);
      const comment = space.search(/\S/);
      if (comment >= 0) kinds.fill('comment', node.pos + comment + 1, node.pos + space.trimEnd().length);
      if (isString(node)) kinds.fill('string', start + 1, node.end);
    }
    children.forEach(visit);
  };
  visit(file);
  return { path, text, kinds, units };
}

const UNIT_TESTS = [ts.isClassElement, ts.isPropertyAssignment, ts.isJsxElement, ts.isJsxAttribute];

function isUnit(node: ts.Node): boolean {
  return (ts.isStatement(node) && !ts.isBlock(node)) || UNIT_TESTS.some((isKind) => isKind(node));
}

function isString({ kind }: ts.Node): boolean {
  const { StringLiteral, RegularExpressionLiteral, FirstTemplateToken, LastTemplateToken } = ts.SyntaxKind;
  if (kind === StringLiteral || kind === RegularExpressionLiteral) return true;
  return kind >= FirstTemplateToken && kind <= LastTemplateToken;
}

type Parsed = ts.SourceFile & { readonly parseDiagnostics?: readonly unknown[] };

function parsed(text: string, path: string): Parsed {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

export function scriptParser(path: string): Parser {
  const isSound = (text: string): boolean => parsed(text, path).parseDiagnostics?.length === 0;
  assert.ok(!isSound('('), 'TypeScript reports no syntax errors');
  return (documents) => documents.map((document) => parses(document, isSound, SCRIPT_ENDINGS));
}

/** Tries the document as it is, and then with each continuation. `isSound` returns whether a text parses. */
export function parses(
  { before, after, more = [] }: CursorDocument,
  isSound: (text: string) => boolean,
  { words, lineEnds }: Endings,
): Parses {
  if (isSound(before + after)) return 'as it is';
  const end = after.search(/\n|$/);
  const goesOn =
    more.some((word) => isSound(before + word + after)) ||
    lineEnds.some((lineEnd) =>
      words.some((word) => isSound(before + word + after.slice(0, end) + lineEnd + after.slice(end))),
    );
  return goesOn ? 'if it goes on' : 'never';
}

const PYTHON = `
import ast, io, json, sys, tokenize, warnings
warnings.simplefilter('ignore')

def sound(text):
    try:
        ast.parse(text)
        return True
    except (SyntaxError, ValueError):
        return False

def continued(document, words, ends):
    before, after = document['before'], document['after']
    end = (after + '\\n').index('\\n')
    for word in document.get('more', []):
        yield before + word + after
    for line_end in ends:
        for word in words:
            yield before + word + after[:end] + line_end + after[end:]

def parses(document, words, ends):
    if sound(document['before'] + document['after']):
        return 'as it is'
    return 'if it goes on' if any(map(sound, continued(document, words, ends))) else 'never'

def read(text):
    lines = text.split('\\n')
    def at(line, column):
        return sum(len(above) + 1 for above in lines[: line - 1]) + column
    kinds = []
    for kind, _, start, end, _ in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[kind].split('_')[0]
        if name in ('STRING', 'FSTRING', 'COMMENT'):
            kinds.append(['comment' if name == 'COMMENT' else 'string', at(*start) + 1, at(*end)])
    def byte(line, column):
        return at(line, len(lines[line - 1].encode()[:column].decode()))
    units = [
        [byte(node.lineno, node.col_offset), byte(node.end_lineno, node.end_col_offset)]
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.stmt)
    ]
    return {'kinds': kinds, 'units': units}

request = json.load(sys.stdin)
json.dump({
    'read': [read(text) for text in request.get('texts', [])],
    'parses': [parses(document, request['words'], request['lineEnds']) for document in request.get('documents', [])],
}, sys.stdout)
`;

/** Range of a text that has one kind of token. */
type Span = readonly [kind: TokenKind, start: number, end: number];

/** Returns the kind of token at each character. */
export function filled(text: string, spans: readonly Span[]): TokenKind[] {
  const kinds = Array<TokenKind>(text.length + 1).fill('other');
  for (const [kind, start, end] of spans) kinds.fill(kind, start, end);
  return kinds;
}

interface PythonAnswer {
  readonly read: readonly { readonly kinds: readonly Span[]; readonly units: Source['units'] }[];
  readonly parses: readonly Parses[];
}

function python(request: {
  readonly texts?: readonly string[];
  readonly documents?: readonly CursorDocument[];
}) {
  const input = JSON.stringify({ ...request, ...PYTHON_ENDINGS });
  const options = { input, encoding: 'utf8', maxBuffer: 1e8 } as const;
  const { stdout, stderr, error } = spawnSync('python3', ['-c', PYTHON], options);
  if (error) throw error;
  assert.equal(stderr, '');
  return JSON.parse(stdout) as PythonAnswer;
}

export function pythonSource(path: string, text: string): Source {
  const [read] = python({ texts: [text] }).read;
  const { kinds = [], units = [] } = read ?? {};
  return { path, text, units, kinds: filled(text, kinds) };
}

export const pythonParser: Parser = (documents) => python({ documents }).parses;
