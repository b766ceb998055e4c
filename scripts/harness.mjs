// npm run faults|longday|fuzz [-- ARGUMENTS]: runs a harness of test/nightly/: kills and machine failures, a long day
// of typing (both with a real VS Code), or generated inputs. See --help of the first two.
import { ensureChromium } from './chromium.mjs';
import { root, script } from './command.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

const [harness, ...args] = process.argv.slice(2);

await script(async () => {
  process.chdir(root);
  process.setSourceMapsEnabled(true);
  if (harness !== 'fuzz') {
    process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
    process.env.CHROMIUM = ensureChromium();
  }
  await import('../test/build.mjs');
  const { main } = await import(`../out/test/nightly/${harness}/main.js`);
  await main(args);
});
