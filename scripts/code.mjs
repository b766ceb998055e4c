// Serves VS Code to a browser, on a copy of the examples and with the extension as it is in dist/, until Ctrl+C. Prints
// the address to open.
import { once } from 'node:events';
import { root, script } from './command.mjs';
import { loadTypeScript } from './typescript.mjs';
import { ensureVscodeWeb } from './vscodeWeb.mjs';

await script(async () => {
  process.chdir(root);
  process.env.FLASHLINE_VSCODE_SERVER = ensureVscodeWeb();
  const { startPlayground } = await loadTypeScript('test/editor/playground.ts');
  const { address, stop } = await startPlayground();
  console.log(`VS Code with Flashline: ${address}\nCtrl+C ends it.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await stop();
});
