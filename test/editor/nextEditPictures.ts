// Takes the pictures of next edits: each form of display, in a dark and a light theme or in those of high contrast. A
// scripted server replaces the model.
import { join } from 'node:path';
import { replacing, ScriptedServer, type ScriptedEdit } from './scriptedServer';
import { CALM } from './screenshots';
import { Session } from './session';
import { until } from './waiting';

const SHOP = `interface Line {
  name: string;
  price: number;
  count: number;
}

export function total(lines: readonly Line[]): string {
  let sum = 0;
  for (const line of lines) {
    sum += line.price * line.count;
  }
  return format(sum, lines[0].currency);
}
`;
/** Height for all lines of the file. */
const SIZE = { width: 760, height: 400 };
/** Themes of the pages, and those of high contrast, with the class that VS Code gives its window. */
const THEMES = { dark: ['Default Dark Modern', 'vs-dark'], light: ['Default Light Modern', 'vs'] } as const;
const CONTRAST_THEMES = {
  'contrast-dark': ['Default High Contrast', 'hc-black'],
  'contrast-light': ['Default High Contrast Light', 'hc-light'],
} as const;

interface Picture {
  /** The user types `typed` in place of the first `old` after `before`. */
  readonly before: string;
  readonly old: string;
  readonly typed: string;
  /** Returns the next edits once that is typed. */
  readonly edits: (text: string) => readonly ScriptedEdit[];
}

const START_OF_COUNT = { line: 3, character: 0 };
const PICTURES: Readonly<Record<string, Picture>> = {
  here: {
    before: 'let ',
    old: 'sum',
    typed: 'subtotal',
    edits: (text) => replacing(text, 'sum +=', 'subtotal +='),
  },
  hint: {
    before: '  ',
    old: 'count',
    typed: 'quantity',
    edits: (text) => replacing(text, 'line.count', 'line.quantity'),
  },
  ghost: {
    before: 'price: number',
    old: ';',
    typed: ';',
    edits: () => [{ text: '  currency: string;\n', range: { start: START_OF_COUNT, end: START_OF_COUNT } }],
  },
};

export async function takeNextEditPictures(folder: string, hasContrast = false): Promise<void> {
  const server = await ScriptedServer.start();
  const settings = {
    ...CALM,
    // No list covers the picture, and no error is underlined.
    'editor.quickSuggestions': { other: 'off' },
    'typescript.validate.enable': false,
    'editor.lightbulb.enabled': 'off',
    'editor.matchBrackets': 'never',
    'flashline.nextEdit': 'inline',
    'flashline.nextEditModel': server.address,
    'flashline.shareServer': false,
  };
  const { extension } = server;
  const session = await Session.open({ extension, files: {}, settings, waitFor: 'server' });
  const { page } = session.workbench;
  try {
    await page.setViewportSize(SIZE);
    await session.probe.command('workbench.action.closeSidebar');
    for (const [theme, [name, kind]] of Object.entries(hasContrast ? CONTRAST_THEMES : THEMES)) {
      await session.probe.setting('workbench.colorTheme', name);
      await page.locator(`.monaco-workbench.${kind}`).waitFor();
      for (const [display, picture] of Object.entries(PICTURES)) {
        await show(session, server, `${display}-${theme}.ts`, picture);
        await page.mouse.move(0, 0);
        const clip = (await page.locator('.part.editor .editor-container').first().boundingBox()) ?? {
          x: 0,
          y: 0,
          ...SIZE,
        };
        const path = join(folder, `next-edit-${display}-${theme}.png`);
        await page.screenshot({ path, animations: 'disabled', clip });
        await session.probe.command('workbench.action.revertAndCloseActiveEditor');
      }
    }
  } finally {
    await session.close();
    await server.stop();
  }
}

async function show(
  { probe, profile, workbench }: Session,
  server: ScriptedServer,
  file: string,
  { before, old, typed, edits }: Picture,
): Promise<void> {
  server.edits = () => [];
  profile.write(profile.file(file), SHOP);
  await probe.show(profile.file(file), SHOP.indexOf(before + old) + before.length + old.length);
  for (let left = old.length; left > 0; left -= 1) await workbench.press('Backspace');
  // Offers the edit only after the last key, as a further key would hide it.
  server.edits = (text) => (text.includes(before + typed) ? edits(text) : []);
  await workbench.type(typed);
  await until('the next edit shows', async () => {
    return (await workbench.addedTexts()).length > 0 || (await workbench.ghostText()).trim() !== '';
  });
}
