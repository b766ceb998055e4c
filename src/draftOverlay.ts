// The draft overlay: paints what was accepted of a suggestion token by token, by who wrote it, until its document
// changes. VS Code lets nobody decorate ghost text, so it is painted once it stands in the document. The origins are
// those of the engine's own rounds; where the text cannot be found in them as it is, nothing is painted.
import * as vscode from 'vscode';
import type { StatsRow, TokenPiece } from '../server/protocol';
import type { Insertion } from './acceptance';
import { sourceName } from './sourceName';
import { t } from './translate';

type Source = TokenPiece['source'];

/** A stretch of a text: offsets in it. */
export interface PaintedSpan {
  readonly start: number;
  readonly end: number;
  readonly source: Source;
}

const MESSAGE_MS = 4000;
const KINDS: readonly StatsRow['kind'][] = ['inline', 'alternative', 'prefetch'];

/** Where the tokens of a text (with \n for line ends) are, by the newest output for that file that contains it. */
export function paintedSpans(text: string, file: string, rows: readonly StatsRow[]): PaintedSpan[] {
  if (text === '') return [];
  for (const row of [...rows].reverse()) {
    if (row.file !== file || !KINDS.includes(row.kind)) continue;
    const pieces = row.rounds.flat();
    const from = pieces
      .map((piece) => piece.text)
      .join('')
      .indexOf(text);
    if (from >= 0) return cut(pieces, from, text.length);
  }
  return [];
}

/** The tokens between `from` and `from + length`; offsets count from there. */
function cut(pieces: readonly TokenPiece[], from: number, length: number): PaintedSpan[] {
  const spans: PaintedSpan[] = [];
  let at = -from;
  for (const { text, source } of pieces) {
    const [start, end] = [Math.max(0, at), Math.min(length, at + text.length)];
    if (start < end) spans.push({ start, end, source });
    at += text.length;
  }
  return spans;
}

export class DraftOverlay implements vscode.Disposable {
  // By shape, as colours alone would be lost on some. Themes of high contrast have the frame, others the background.
  readonly #styles: Readonly<Record<Source, vscode.TextEditorDecorationType>> = {
    draft: style({
      backgroundColor: new vscode.ThemeColor('diffEditor.insertedTextBackground'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
    }),
    target: style({ textDecoration: 'underline solid' }),
    prefill: style({ textDecoration: 'underline dashed' }),
  };
  #isOn = false;
  #painted: vscode.TextEditor | undefined;
  /** What was accepted last: the next part of the same suggestion follows it. */
  #last: Insertion | undefined;
  /** As they are on the screen, in the accepted text. */
  #spans: readonly PaintedSpan[] = [];

  /** `rows` are the requests known so far, oldest first. */
  constructor(private readonly rows: () => readonly StatsRow[]) {}

  get spans(): readonly PaintedSpan[] {
    return this.#spans;
  }

  toggle(): void {
    this.#isOn = !this.#isOn;
    this.#clear();
    const text = this.#isOn
      ? t('Accepted suggestions show drafts with a background or a frame, the rest underlined.')
      : t('The draft overlay is off.');
    vscode.window.setStatusBarMessage(text, MESSAGE_MS);
  }

  /** A suggestion was accepted, in full or in part, which inserted this. */
  accepted(inserted: Insertion): void {
    this.#clear();
    const editor = vscode.window.activeTextEditor;
    if (!this.#isOn || editor?.document.uri.toString() !== inserted.uri) return;
    const { document } = editor;
    const { text, span, rest = '' } = (this.#last = this.#withPartBefore(inserted, document));
    const lines = text.replaceAll('\r\n', '\n');
    // A word is in many outputs, and the whole suggestion in one.
    const all = paintedSpans(lines + rest, document.uri.path.replace(/.*\//, ''), this.rows());
    const spans = all
      .filter(({ start }) => start < lines.length)
      .map((each) => ({ ...each, end: Math.min(each.end, lines.length) }));
    const ends = text.includes('\r\n') ? 1 : 0;
    const place = (offset: number): vscode.Position => {
      const lineEnds = lines.slice(0, offset).split('\n').length - 1;
      return document.positionAt(span.start + offset + ends * lineEnds);
    };
    this.#painted = editor;
    this.#spans = spans;
    for (const [source, type] of Object.entries(this.#styles)) {
      const own = spans.filter((each) => each.source === source);
      editor.setDecorations(
        type,
        own.map(({ start, end, source }) => ({
          range: new vscode.Range(place(start), place(end)),
          hoverMessage: sourceName(source),
        })),
      );
    }
  }

  changed(document: vscode.TextDocument): void {
    if (this.#painted?.document === document) this.#clear();
  }

  dispose(): void {
    for (const type of Object.values(this.#styles)) type.dispose();
  }

  #withPartBefore(inserted: Insertion, document: vscode.TextDocument): Insertion {
    const last = this.#last;
    if (last?.uri !== inserted.uri || last.span.end !== inserted.span.start) return inserted;
    const { start, end } = last.span;
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    if (document.getText(range) !== last.text) return inserted;
    return { ...inserted, text: last.text + inserted.text, span: { start, end: inserted.span.end } };
  }

  #clear(): void {
    for (const type of Object.values(this.#styles)) this.#painted?.setDecorations(type, []);
    this.#painted = undefined;
    this.#spans = [];
  }
}

function style(options: vscode.DecorationRenderOptions): vscode.TextEditorDecorationType {
  const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
  return vscode.window.createTextEditorDecorationType({ ...options, rangeBehavior });
}
