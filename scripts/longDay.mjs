// npm run longday [-- ARGUMENTS]: replays a long day of typing; --help says how.
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  await import('../test/build.mjs');
  const { main } = await import('../out/test/longday/main.js');
  await main(process.argv.slice(2));
});
