// The members of what stands before the last dot, as the language's completion provider knows them: a suggestion that
// names another one is wrong. No suggestion waits for them, and where nobody knows any, all suggestions stay.
import * as vscode from 'vscode';
import { followingText } from './acceptance';

/** Of a line up to the cursor: after a dot, and the part of a name that stands there. */
const AFTER_DOT = /[\p{L}\p{N}_$)\]]\??\.([\p{L}\p{N}_$]*)$/u;
const NAME = /^[\p{L}\p{N}_$]*/u;
/** What is assigned may be new. */
const ASSIGNED = /^\s*=(?![=>])/;
/** What a class derives from: `class A extends B`, `class A(B)`, `class A : B`. */
const BASE =
  /\bclass[ \t]+[\p{L}\p{N}_$]+(?:<[^>\n]*>)?[ \t]*(?:extends[ \t]|[:(])[ \t]*([\p{L}\p{N}_$.]+)/gu;
const { CompletionItemKind: Kind } = vscode;
/** Words of the file and the like are no members. */
const MEMBERS = new Set([
  ...[Kind.Method, Kind.Function, Kind.Field, Kind.Property, Kind.Variable, Kind.Constant],
  ...[Kind.Class, Kind.Interface, Kind.Enum, Kind.EnumMember, Kind.Module],
]);

interface Known {
  readonly document: vscode.TextDocument;
  readonly line: number;
  /** The line up to the dot. */
  readonly before: string;
  names: ReadonlySet<string> | undefined;
}

export class ReceiverMembers {
  /** Of the last dot that somebody asked behind. */
  #known: Known | undefined;

  /** A suggestion is requested; the members are looked up meanwhile, once for each dot. */
  requested(document: vscode.TextDocument, { line, character }: vscode.Position): void {
    const typed = document.lineAt(line).text.slice(0, character);
    const begun = AFTER_DOT.exec(typed)?.[1];
    if (begun === undefined) return void (this.#known = undefined);
    const before = typed.slice(0, typed.length - begun.length);
    const last = this.#known;
    if (last?.document === document && last.line === line && last.before === before) return;
    const known: Known = (this.#known = { document, line, before, names: undefined });
    void membersAt(document, new vscode.Position(line, before.length)).then((names) => {
      known.names = names;
    });
  }

  /** Whether an item at `position` can be right, as far as is known by now. */
  allows(
    document: vscode.TextDocument,
    position: vscode.Position,
    item: vscode.InlineCompletionItem,
  ): boolean {
    const known = this.#known;
    const typed = document.lineAt(position.line).text.slice(0, position.character);
    if (known?.names === undefined || known.document !== document || known.line !== position.line)
      return true;
    if (!typed.startsWith(known.before)) return true;
    const line = typed.slice(known.before.length) + followingText(item, position);
    const [name = ''] = NAME.exec(line) ?? [];
    if (name === '' || known.names.has(name) || ASSIGNED.test(line.slice(name.length))) return true;
    // A part may end within a name.
    return name === line && [...known.names].some((each) => each.startsWith(name));
  }
}

/** Undefined where no provider answers, or none knows them all. */
async function membersAt(
  document: vscode.TextDocument,
  position: vscode.Position,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const { items, isIncomplete } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      position,
      '.',
    );
    const members = items.filter(({ kind }) => kind !== undefined && MEMBERS.has(kind));
    if (isIncomplete === true || members.length === 0) return undefined;
    const names = members.map(nameOf);
    return mayLackInherited(names, document.getText()) ? undefined : new Set(names);
  } catch {
    return undefined;
  }
}

/**
 * Of a class whose base nobody found, as its package is not installed, a provider tells only what this file declares.
 */
function mayLackInherited(names: readonly string[], text: string): boolean {
  const isElsewhere = ([, base = '']: RegExpMatchArray): boolean => !text.includes(`class ${base}`);
  return [...text.matchAll(BASE)].some(isElsewhere) && names.every((name) => text.includes(name));
}

/** Without what marks it as optional, or as a function. */
function nameOf({ label }: vscode.CompletionItem): string {
  const text = typeof label === 'string' ? label : label.label;
  return NAME.exec(text)?.[0] ?? text;
}
