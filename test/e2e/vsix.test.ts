// Tests the packaged extension: its files, platforms that it refuses, and, nightly as it takes minutes, its
// installation into a new VS Code.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import type { FrameLocator, Locator } from 'playwright-core';
import { EXAMPLES } from '../editor/examplePlace';
import { Probe } from '../editor/probe';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { fullSize } from '../support/fullSize';
import './failureShots';

const TARGET = `${process.platform}-${process.arch}`;
const OTHER_TARGET = TARGET === 'darwin-arm64' ? 'linux-x64' : 'darwin-arm64';

/** Patterns of allowed files; each must match at least one. */
const ALLOWED = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/package\.json$/,
  /^extension\/package\.nls(\.[\w-]+)?\.json$/,
  /^extension\/(readme|changelog)\.md$/i,
  /^extension\/LICENSE(\.txt)?$/,
  /^extension\/THIRD_PARTY_NOTICES\.txt$/,
  /^extension\/dist\/(extension|server|cli|encodingWorker|watchdog)\.js$/,
  /^extension\/dist\/node_modules\/@frost-beta\/mlx\/(package\.json|LICENSE)$/,
  /^extension\/dist\/node_modules\/@frost-beta\/mlx\/(lib|dist)\/[\w/.-]+\.js$/,
  /^extension\/dist\/node_modules\/@frost-beta\/mlx\/build\/Release\/mlx\.(node|metallib)$/,
  /^extension\/docs\/(internals\/)?[\w-]+\.md$/,
  /^extension\/media\/icon\.png$/,
  /^extension\/media\/doctor\/goldens\.json$/,
  /^extension\/media\/model\/README\.md$/,
  /^extension\/media\/model\/SOURCES\.md$/,
  /^extension\/media\/model\/(target|drafter)\/[\w.-]+\.(json|safetensors)$/,
  /^extension\/media\/panel\/panel\.(css|js)$/,
  /^extension\/media\/panel\/icon\.svg$/,
  /^extension\/media\/walkthrough\/\w+\.(svg|txt)$/,
  /^extension\/media\/examples\/\w+\.\w+$/,
];

describe('the packaged extension', () => {
  let folder: string;
  let vsix: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'flashline-vsix-'));
    const { ok, output } = runPackage(TARGET);
    assert.ok(ok, output);
    const [componentList = '', file = '', ...unexpected] = readdirSync(folder).sort();
    assert.deepEqual(unexpected, []);
    assert.match(file, new RegExp(`^flashline-${TARGET}-\\d+\\.\\d+\\.\\d+\\.vsix$`));
    assert.equal(componentList, file.replace(/vsix$/, 'cdx.json'));
    vsix = join(folder, file);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  const runPackage = (target: string) => runScript('scripts/package.mjs', target, folder);

  it('holds the needed files and no others', () => {
    const names = zipEntries(readFileSync(vsix));
    assert.deepEqual(
      names.filter((name) => !ALLOWED.some((pattern) => pattern.test(name))),
      [],
    );
    assert.deepEqual(
      ALLOWED.filter((pattern) => !names.some((name) => pattern.test(name))),
      [],
    );
  });

  it('holds pages of documentation with embedded pictures and with links only to files that it holds', () => {
    const zip = readFileSync(vsix);
    const names = zipEntries(zip);
    let pictureCount = 0;
    for (const name of names.filter((entry) => /^extension\/docs\/.*\.md$/.test(entry)))
      for (const [, mark, target = ''] of zipText(zip, name).matchAll(/(!?)\[[^\]]*\]\(([^)#]*)[^)]*\)/g)) {
        if (mark === '!') {
          assert.match(target, /^data:image\/(png;base64,iVBOR|svg\+xml;base64,PHN2Z)[\w+/=]{1000,}$/, name);
          pictureCount += 1;
        } else if (target !== '' && !target.startsWith('https:'))
          assert.ok(names.includes(posix.join(posix.dirname(name), target)), `${name}: ${target}`);
      }
    assert.ok(pictureCount >= 10);
  });

  it('has the same bytes when it is packaged again in another environment', function () {
    if (!fullSize) this.skip();
    const { ok, output } = runScript('scripts/packageCheck.mjs', vsix);
    assert.ok(ok, output);
  });

  it('is refused for a platform without a native addon', () => {
    const { ok, output } = runPackage(OTHER_TARGET);
    assert.ok(!ok);
    assert.match(
      output,
      new RegExp(`Expected the native addon for ${OTHER_TARGET}.*got a binary for ${TARGET}`),
    );
    assert.match(runPackage('amiga').output, /Expected a target of linux-x64, darwin-arm64, got amiga/);
    assert.equal(readdirSync(folder).length, 2);
  });

  describe('in a new VS Code', () => {
    let session: Session;
    before(async function () {
      if (!fullSize) this.skip();
      const settings = { 'workbench.welcomePage.walkthroughs.openOnInstall': true };
      session = await Session.open({ vsix, copyOf: EXAMPLES, settings });
    });
    after(async () => {
      if (fullSize) await session.close();
    });
    const walkthrough = (): Locator => session.window.page.locator('.gettingStartedContainer');

    it('opens the walkthrough, whose first step is completed by the first accepted suggestion', async () => {
      const { probe, profile, workbench } = session;
      const { extensionPath } = await probe.state();
      assert.ok(extensionPath.startsWith(profile.extensions), extensionPath);
      const step = walkthrough().locator('.getting-started-step', { hasText: 'first suggestion' });
      const isTicked = async (): Promise<boolean> => (await step.locator('.codicon.complete').count()) > 0;
      await walkthrough().getByRole('button', { name: 'Try an Example' }).click();
      await workbench.suggestion();
      await probe.command('flashline.openWalkthrough');
      await step.waitFor();
      assert.ok(!(await isTicked()), 'the step is ticked before a suggestion is accepted');
      await probe.command('workbench.action.revertAndCloseActiveEditor');
      await workbench.press('Alt+\\');
      await workbench.suggestion();
      await workbench.press('Tab');
      await probe.command('flashline.openWalkthrough');
      await until('the step is done', isTicked);
      await probe.command('workbench.action.revertAndCloseActiveEditor');
      await probe.command('workbench.action.revertAndCloseActiveEditor');
    });

    it('shows its README on its details page without broken pictures', async () => {
      const { probe, workbench } = session;
      await probe.command('workbench.action.closeAllEditors');
      await probe.command('extension.open', 'flashline.flashline');
      await workbench.webview.getByText('The first five minutes').waitFor();
      assert.deepEqual(await picturesOf(workbench.webview), []);
    });

    it('shows its documentation with links and pictures', async () => {
      const { probe, workbench } = session;
      await probe.command('workbench.action.closeAllEditors');
      await probe.command('flashline.openDocumentation');
      await workbench.webview.getByRole('heading', { name: 'Documentation' }).waitFor();
      await workbench.webview.getByRole('link', { name: 'Statistics' }).click();
      await workbench.webview.getByRole('heading', { name: 'The panel' }).waitFor();
      await until('the picture of the page shows', async () =>
        (await picturesOf(workbench.webview)).some(({ width }) => width > 300),
      );
    });

    it('opens no walkthrough in the next window', async () => {
      const { server, profile, window } = session;
      // A slow VS Code restores a walkthrough that was closed just before a reload. It has none to restore in another
      // folder.
      const nextFolder = join(profile.root, 'other');
      mkdirSync(nextFolder);
      await window.page.goto(server.address(nextFolder, []));
      const probe = new Probe(profile, nextFolder);
      await until('the next window is ready', async () => {
        const state = await probe.state().catch(() => undefined);
        return state?.serverStatus?.state === 'ready';
      });
      // VS Code runs commands one after another, so one that opens the walkthrough would have run by then.
      await probe.command('workbench.action.focusActiveEditorGroup');
      assert.equal(await walkthrough().count(), 0);
    });
  });
});

function runScript(...args: string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

/** Returns the pictures of a webview with their width once they are loaded. */
async function picturesOf(webview: FrameLocator): Promise<{ width: number; text: string }[]> {
  const images = await webview.locator('img').all();
  return await Promise.all(
    images.map(async (image) => ({
      text: (await image.getAttribute('alt')) ?? '',
      width: await image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth),
    })),
  );
}

/** Returns the names of the files in a ZIP, from its central directory. */
function zipEntries(zip: Buffer): string[] {
  return [...zipRecords(zip)].map(({ name }) => name);
}

/** Returns the text of a file in a ZIP. */
function zipText(zip: Buffer, name: string): string {
  const record = [...zipRecords(zip)].find((entry) => entry.name === name);
  assert.ok(record !== undefined);
  const { offset, size } = record;
  const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  return inflateRawSync(zip.subarray(start, start + size)).toString('utf8');
}

/** Yields name, offset of the local header, and compressed size of each file in the central directory of a ZIP. */
function* zipRecords(zip: Buffer): Generator<{ name: string; offset: number; size: number }> {
  const endRecord = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(endRecord + 16);
  for (let left = zip.readUInt16LE(endRecord + 10); left > 0; left -= 1) {
    assert.equal(zip.readUInt32LE(at), 0x02014b50, 'an entry of the central directory is damaged');
    const length = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + length);
    yield { name, offset: zip.readUInt32LE(at + 42), size: zip.readUInt32LE(at + 20) };
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}
