// The draft overlay on the screen: an accepted suggestion is painted by who wrote each token, in shapes that every theme
// shows, and the text keeps its colours.
import assert from 'node:assert/strict';
import type { TokenPiece } from '../../server/protocol';
import { EXAMPLES, examplePlace } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import type { Workbench } from '../editor/workbench';
import { shootFailure } from './failureShots';
import { sharedVscode } from './sharedVscode';

const THEMES = [
  ['Default Light Modern', 'vs'],
  ['Default High Contrast', 'hc-black'],
  ['Default High Contrast Light', 'hc-light'],
  ['Default Dark Modern', 'vs-dark'],
] as const;

/** The parts of the browser's types that are used here. */
interface Element {
  readonly textContent: string;
  querySelectorAll(selector: string): Iterable<Element>;
}
type Styles = (element: Element) => Readonly<Record<string, string>>;

function textOf(pieces: readonly TokenPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

describe('the draft overlay', () => {
  const { text, offset } = examplePlace('shoppingCart.ts:20:22');
  let session: Session;
  let workbench: Workbench;
  before(async () => {
    session = await Session.open({
      server: await sharedVscode(),
      name: 'overlay',
      copyOf: EXAMPLES,
      settings: {
        // One suggestion of one line, written the same way at any speed.
        'flashline.prefetch': 'never',
        'flashline.multiline': 'never',
        'flashline.draftLength': 'full',
        'editor.hover.delay': 0,
      },
    });
    workbench = session.workbench;
    await workbench.palette('Flashline: Toggle Draft Overlay');
    const path = session.profile.file('painted.ts');
    session.profile.write(path, text.slice(0, offset - 1) + text.slice(offset));
    await session.probe.show(path, offset - 1);
    await workbench.editor.waitFor();
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });
  after(async () => {
    await session.probe.command('workbench.action.files.saveAll');
    await session.close();
  });

  /** Accepts a suggestion; returns it token by token. */
  async function accepted(): Promise<readonly TokenPiece[]> {
    await workbench.type(text.slice(offset - 1, offset));
    const ghost = await workbench.suggestion();
    const pieces = await until('the request is reported', async () => {
      const outputs = (await session.probe.state()).rows.map(({ rounds }) => rounds.flat());
      return outputs.findLast((each) => textOf(each).includes(ghost));
    });
    await workbench.press('Tab');
    const inserted = await until('it is there', async () => {
      const { text: now = text, cursor } = await session.probe.state();
      return now.length > text.length && now.slice(offset, cursor);
    });
    let at = -textOf(pieces).indexOf(inserted);
    return pieces.flatMap((piece) => {
      const part = inserted.slice(Math.max(0, at), Math.max(0, (at += piece.text.length)));
      return part === '' ? [] : [{ ...piece, text: part }];
    });
  }

  /** What has a solid line below it, how many stretches have a background or a frame, and the colour of each character. */
  async function painted() {
    return await workbench.editor.evaluate((node) => {
      const editor = node as unknown as Element;
      const { getComputedStyle } = globalThis as unknown as { getComputedStyle: Styles };
      const all = (selector: string): Element[] => [...editor.querySelectorAll(selector)];
      const isVisible = (color = ''): boolean => !/^(transparent|.*, 0\))$/.test(color);
      const line = all('.view-lines > .view-line').find((each) => each.textContent.includes('remove'));
      const spans = [...(line?.querySelectorAll('span > span') ?? [])];
      const isUnderlined = (span: Element): boolean =>
        getComputedStyle(span)['textDecorationLine'] === 'underline' &&
        getComputedStyle(span)['textDecorationStyle'] === 'solid';
      const drafts = all('.view-overlays .cdr[class*="TextEditorDecorationType"]').filter((each) => {
        const { backgroundColor, borderTopColor, borderTopStyle } = getComputedStyle(each);
        return isVisible(backgroundColor) || (borderTopStyle === 'solid' && isVisible(borderTopColor));
      });
      return {
        underlined: spans
          .filter(isUnderlined)
          .map(({ textContent }) => textContent.replaceAll('\u00a0', ' '))
          .join(''),
        drafts: drafts.length,
        colors: spans.flatMap((span) => [...span.textContent].map(() => getComputedStyle(span)['color'])),
      };
    });
  }

  it('shows who wrote what in every theme, and says it on hover', async () => {
    const pieces = await accepted();
    const drafts = pieces.filter(({ source }) => source === 'draft').length;
    const own = textOf(pieces.filter(({ source }) => source === 'target'));
    assert.ok(drafts > 0 && own !== '', JSON.stringify(pieces));
    for (const [theme, kind] of THEMES) {
      await session.probe.setting('workbench.colorTheme', theme);
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await until(`it is painted in ${theme}`, async () => {
        const now = await painted();
        return now.drafts === drafts && now.underlined === own;
      });
    }
    const { page } = workbench;
    await page.locator('.view-line [class*="TextEditorDecorationType"]', { hasText: /\w/ }).first().hover();
    await page.locator('.monaco-hover', { hasText: 'written by the target' }).first().waitFor();
  });

  it('is gone when it is switched off, and had changed no colours', async () => {
    const { colors } = await painted();
    await workbench.palette('Flashline: Toggle Draft Overlay');
    const now = await until('nothing is painted', async () => {
      const { drafts, underlined, ...rest } = await painted();
      return drafts === 0 && underlined === '' && rest;
    });
    assert.deepEqual(now.colors, colors);
  });
});
