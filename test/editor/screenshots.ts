// Takes pictures of the README and the pages in docs/: the same files, keys and windows each time. The numbers in them
// depend on the machine.
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PICTURED } from './pictured';
import { Session } from './session';
import { until } from './waiting';

/** Settings that hide what differs between two pictures, and parts around the code. */
export const CALM = {
  'editor.minimap.enabled': false,
  'window.commandCenter': false,
  'breadcrumbs.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.scrollbar.vertical': 'hidden',
  'editor.scrollbar.horizontal': 'hidden',
  'workbench.editor.enablePreview': false,
  // In one colour, so that it stands out from the code when the picture is scaled down.
  'editor.inlineSuggest.syntaxHighlightingEnabled': false,
  'workbench.colorCustomizations': { '[Default Dark Modern]': { 'editorGhostText.foreground': '#a8a8a8' } },
};
const SMALL = { width: 900, height: 360 };
const MEDIUM = { width: 1200, height: 960 };
const LARGE = { width: 1400, height: 930 };

export async function takeScreenshots(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const files: Record<string, string> = {};
  for (const { name, marked } of PICTURED) files[name] = marked.replace('‸', '');
  // Only the bundled models are available, and no speeds of earlier runs.
  const environment = { HF_HUB_CACHE: join(tmpdir(), 'flashline-no-models'), FLASHLINE_CACHE: '/dev/null' };
  const session = await Session.open({ files, settings: CALM, environment });
  const { probe, profile, workbench } = session;
  const { page } = workbench;
  const shoot = async (name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    const path = join(folder, `${name}.png`);
    // Without the title bar, which says that this is a development window.
    const top = (await page.locator('.part.titlebar').boundingBox())?.height ?? 0;
    const { width, height } = page.viewportSize() ?? LARGE;
    await page.screenshot({
      path,
      animations: 'disabled',
      clip: { x: 0, y: top, width, height: height - top },
    });
  };
  const useTheme = async (name: string, kind: string): Promise<void> => {
    await probe.setting('workbench.colorTheme', name);
    await page.locator(`.monaco-workbench.${kind}`).waitFor();
    await workbench.webview.locator(`body.vscode-${kind === 'vs' ? 'light' : 'dark'}`).waitFor();
  };
  try {
    // Before any measurement, so that the picker shows estimated speeds.
    await page.setViewportSize(LARGE);
    await workbench.palette('Flashline: Models');
    await workbench.pickRows.filter({ hasText: 'Built-in pair' }).waitFor();
    await page.locator('.quick-input-widget').screenshot({ path: join(folder, 'models.png') });
    await workbench.press('Escape');

    await page.setViewportSize(SMALL);
    await probe.command('workbench.action.closeSidebar');
    for (const { name, marked, ghost } of PICTURED) {
      await probe.show(profile.file(name), marked.indexOf('‸'));
      await workbench.press('Alt+\\');
      await workbench.ghost.first().waitFor();
      if (ghost !== undefined)
        await until(`${name} shows ${ghost}`, async () => (await workbench.ghostText()) === ghost);
      await session.ready();
    }
    await shoot('ghost-text');

    await page.setViewportSize(LARGE);
    await probe.command('flashline.showStatistics');
    await workbench.webview.locator('#request-table').waitFor();
    await shoot('panel-dark');
    await useTheme('Default Light Modern', 'vs');
    await shoot('panel-light');
    await useTheme('Default Dark Modern', 'vs-dark');

    await page.setViewportSize(MEDIUM);
    await probe.command('workbench.action.closeAllEditors');
    await probe.command('flashline.openWalkthrough');
    const walkthrough = page.locator('.gettingStartedContainer');
    await walkthrough.getByText('Get Started with Flashline').waitFor();
    await until('the walkthrough has its picture', () => page.locator('iframe.webview.ready').count());
    await workbench.webview.locator('svg').first().waitFor();
    await shoot('walkthrough');
  } finally {
    await session.close();
  }
}
