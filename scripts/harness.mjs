// npm run faults|longday [-- ARGUMENTS]: kills processes and injects machine failures, or replays a long day of typing,
// with a real VS Code; see --help.
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

const [harness, ...args] = process.argv.slice(2);

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  process.env.CHROMIUM = ensureChromium();
  await import('../test/build.mjs');
  const { main } = await import(`../out/test/nightly/${harness}/main.js`);
  await main(args);
});
