// Takes the pictures of the README anew: media/screenshots/{ghost-text,panel-dark,panel-light,walkthrough,models}.png.
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { loadTypeScript } from './typescript.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  const { takeScreenshots } = await loadTypeScript('test/editor/screenshots.ts');
  await takeScreenshots('media/screenshots');
});
