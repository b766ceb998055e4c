// Tests that the mark of next edits in the gutter is visible in every theme.
import assert from 'node:assert/strict';
import { View } from '../../../src/nextEdit/view';
import { window, type Uri } from '../support/fakeVscode';

interface Looks {
  readonly light?: { readonly gutterIconPath?: Uri };
  readonly dark?: { readonly gutterIconPath?: Uri };
}

/** Returns the luminance of a colour such as #3794ff, by WCAG 2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

describe('the mark of a next edit in the gutter', () => {
  const { createTextEditorDecorationType } = window;
  let looks: Looks[];
  beforeEach(() => {
    looks = [];
    window.createTextEditorDecorationType = (look) => {
      looks.push(look);
      return createTextEditorDecorationType(look);
    };
  });
  afterEach(() => {
    window.createTextEditorDecorationType = createTextEditorDecorationType;
  });

  it('contrasts with light and dark themes, and with those of high contrast by 7 to 1', () => {
    new View().dispose();
    const mark = looks.find(({ light }) => light?.gutterIconPath !== undefined) ?? assert.fail();
    for (const [icon, background, least] of [
      [mark.light?.gutterIconPath, '#ffffff', 7],
      [mark.dark?.gutterIconPath, '#000000', 7],
      [mark.dark?.gutterIconPath, '#1f1f1f', 4.5],
    ] as const) {
      const svg = Buffer.from(icon?.path.split(',')[1] ?? '', 'base64').toString();
      const [, colour = ''] = /stroke="(#[\da-f]{6})"/.exec(svg) ?? [];
      assert.ok(contrast(colour, background) >= least, `${colour} on ${background}`);
    }
  });
});
