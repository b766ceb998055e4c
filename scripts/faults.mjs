// npm run faults [-- ARGUMENTS]: kills processes and lets machines fail; --help says how.
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  await import('../test/build.mjs');
  const { main } = await import('../out/test/faults/main.js');
  await main(process.argv.slice(2));
});
