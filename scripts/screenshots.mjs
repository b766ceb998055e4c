// Takes the pictures of the documentation: of VS Code in media/screenshots/, and of charts in media/charts/.
import { takeChartPictures } from './chartPictures.mjs';
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { loadTypeScript } from './typescript.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  await takeChartPictures('media/charts', process.env.CHROMIUM);
  const { takeScreenshots } = await loadTypeScript('test/editor/screenshots.ts');
  await takeScreenshots('media/screenshots');
  const { takeNextEditPictures } = await loadTypeScript('test/editor/nextEditPictures.ts');
  await takeNextEditPictures('media/screenshots');
});
