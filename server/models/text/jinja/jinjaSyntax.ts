// Parses Jinja templates with the parser of @huggingface/jinja, and adds raw blocks and tests with arguments, which it
// does not support. The parser still refuses `with`, `recursive`, `(x,)`, `+` in a tag and more; this module refuses
// chains of comparisons.
import { parse, tokenize } from '@huggingface/jinja';

interface Operator {
  readonly value: string;
}

/** Expressions by the type of their node. The parser exports no types for its nodes. */
interface Expressions {
  Identifier: { value: string };
  CallExpression: { callee: Expression; args: readonly Expression[] };
  KeywordArgumentExpression: { key: Name; value: Expression };
  IntegerLiteral: { value: number };
  FloatLiteral: { value: number };
  StringLiteral: { value: string };
  ArrayLiteral: { value: readonly Expression[] };
  TupleLiteral: { value: readonly Expression[] };
  ObjectLiteral: { value: ReadonlyMap<Expression, Expression> };
  MemberExpression: { object: Expression; property: Expression; computed: boolean };
  SliceExpression: { start?: Expression; stop?: Expression; step?: Expression };
  BinaryExpression: { operator: Operator; left: Expression; right: Expression };
  UnaryExpression: { operator: Operator; argument: Expression };
  FilterExpression: { operand: Expression; filter: Name | Call };
  TestExpression: { operand: Expression; negate: boolean; test: Name };
  SelectExpression: { lhs: Expression; test: Expression };
  Ternary: { condition: Expression; trueExpr: Expression; falseExpr: Expression };
  SpreadExpression: { argument: Expression };
  KeywordSpreadExpression: { argument: Expression };
}
/** Statements by the type of their node. */
interface Statements {
  For: { loopvar: Expression; iterable: Expression; body: Body; defaultBlock: Body };
  Macro: { name: Name; args: readonly (Name | Keyword)[]; body: Body };
  Set: { assignee: Expression; value: Expression | null; body: Body };
  CallStatement: { call: Call; callerArgs: readonly (Name | Keyword)[] | null; body: Body };
  If: { test: Expression; body: Body; alternate: Body };
  FilterStatement: { filter: Name | Call; body: Body };
  Break: object;
  Continue: object;
  Comment: object;
}
type NodeOf<Nodes, Type extends keyof Nodes> = { readonly type: Type } & Readonly<Nodes[Type]>;
type OneOf<Nodes> = { [Type in keyof Nodes]: NodeOf<Nodes, Type> }[keyof Nodes];

export type Expression = OneOf<Expressions>;
export type Node = Expression | OneOf<Statements>;
export type Body = readonly Node[];
export type Name = NodeOf<Expressions, 'Identifier'>;
export type Call = NodeOf<Expressions, 'CallExpression'>;
export type Keyword = NodeOf<Expressions, 'KeywordArgumentExpression'>;
export type For = NodeOf<Statements, 'For'>;
export type CallBlock = NodeOf<Statements, 'CallStatement'>;

type Token = ReturnType<typeof tokenize>[number];

/** Prefix of a filter name that means a test: a test with an argument is parsed as a filter. */
export const TEST_PREFIX = 'is ';
const TESTS_WITH_ARGUMENT = /^(in|sameas|divisibleby|eq|equalto|ne|lt|lessthan|le|gt|greaterthan|ge)$/;

/** Parses a template. Throws an Error for one that cannot be parsed. */
export function parseTemplate(source: string): Body {
  const tokens = tokenize(withoutRaw(source.replace(/\r\n?/g, '\n')), {
    lstrip_blocks: true,
    trim_blocks: true,
  });
  refuseChains(tokens);
  return (parse(testArguments(tokens)) as unknown as { readonly body: Body }).body;
}

/**
 * Replaces each raw block by an expression with its text. As in Jinja2, white space that begins the line of either tag
 * is dropped, and the line break after the end tag, but not the one after the start tag.
 */
function withoutRaw(source: string): string {
  return source.replace(
    /(?:^[ \t]*)?\{%(-?)\s*raw\s*(-?)%\}([^]*?)\{%(-?)\s*endraw\s*(-?)%\}\n?/gm,
    (_, ...groups: [before: string, start: string, text: string, end: string, after: string]) => {
      const [before, start, text, end, after] = groups;
      const inner = start ? text.trimStart() : text;
      const raw = end ? inner.trimEnd() : inner.replace(/\n[ \t]*$/, '\n');
      return `{{${before} ${JSON.stringify(raw)} ${after}}}`;
    },
  );
}

/** Refuses chains such as `a < b < c`, which the parser silently reads as `(a < b) < c`. */
function refuseChains(tokens: readonly Token[]): void {
  /** Whether a comparison has occurred in the current expression of each open bracket, the outermost first. */
  const hasComparison = [false];
  for (const { type, value } of tokens) {
    const depth = hasComparison.length - 1;
    const isComparison = type === 'ComparisonBinaryOperator';
    if (type.startsWith('Open')) hasComparison.push(false);
    else if (type.startsWith('Close')) hasComparison.pop();
    else if (isComparison && hasComparison[depth]) throw new SyntaxError('a chain of comparisons');
    else if (isComparison) hasComparison[depth] = true;
    else if (type === 'Comma' || type === 'Equals' || type === 'Colon') hasComparison[depth] = false;
    else if (type === 'Identifier' && /^(and|or|not|if|else|is)$/.test(value)) hasComparison[depth] = false;
  }
}

/** Rewrites tests with arguments as filters, which the parser supports: `x is in [1]` as `x | 'is in'([1])`. */
function testArguments(tokens: readonly Token[]): Token[] {
  const result = [...tokens];
  for (let i = 0; i < result.length; i++) {
    const isNot = isName(result[i + 1], 'not');
    const at = i + (isNot ? 2 : 1);
    const name = result[at];
    if (!isName(result[i], 'is') || name === undefined || !TESTS_WITH_ARGUMENT.test(name.value)) continue;
    const from = at + 1;
    const end = argumentEnd(result, from);
    const argument = result.slice(from, end);
    const isCall = argument[0]?.type === 'OpenParen' && argument.length > 1;
    result.splice(
      i,
      end - i,
      { value: '|', type: 'Pipe' },
      { value: TEST_PREFIX + (isNot ? 'not ' : '') + name.value, type: 'Identifier' },
      ...(isCall
        ? argument
        : [
            { value: '(', type: 'OpenParen' } as const,
            ...argument,
            { value: ')', type: 'CloseParen' } as const,
          ]),
    );
  }
  return result;
}

function isName(token: Token | undefined, value: string): boolean {
  return token?.type === 'Identifier' && token.value === value;
}

/**
 * Returns the index after a value that begins at `from`: one token or a bracketed group, with its members and items.
 */
function argumentEnd(tokens: readonly Token[], from: number): number {
  let end = from;
  let depth = 0;
  do {
    const type = tokens[end]?.type ?? 'CloseStatement';
    if (/^Open(Paren|SquareBracket|CurlyBracket)$/.test(type)) depth += 1;
    if (/^Close(Paren|SquareBracket|CurlyBracket)$/.test(type)) depth -= 1;
    end += 1;
  } while (depth > 0 && end < tokens.length);
  const next = tokens[end]?.type;
  return next === 'Dot' || next === 'OpenSquareBracket'
    ? argumentEnd(tokens, next === 'Dot' ? end + 1 : end)
    : end;
}

/** Lists all names in a tree, except those of members. */
export function namesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if (Array.isArray(node) || node instanceof Map) return [...(node as Iterable<unknown>)].flatMap(namesIn);
  if ('type' in node && node.type === 'Identifier') return [(node as Name).value];
  const isField = 'computed' in node && node.computed === false;
  return Object.entries(node).flatMap(([key, value]) =>
    isField && key === 'property' ? [] : namesIn(value),
  );
}
