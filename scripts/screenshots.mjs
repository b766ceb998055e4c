// Takes the pictures of VS Code in media/screenshots/. With `--contrast FOLDER`, takes only those of next edits in the
// high-contrast themes, which no page shows, into FOLDER.
import { parseArgs } from 'node:util';
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { loadTypeScript } from './typescript.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  const { contrast } = parseArgs({ options: { contrast: { type: 'string' } } }).values;
  const { takeNextEditPictures } = await loadTypeScript('test/editor/nextEditPictures.ts');
  if (contrast !== undefined) {
    await takeNextEditPictures(contrast, true);
    return;
  }
  const { takeScreenshots } = await loadTypeScript('test/editor/screenshots.ts');
  await takeScreenshots('media/screenshots');
  await takeNextEditPictures('media/screenshots');
});
