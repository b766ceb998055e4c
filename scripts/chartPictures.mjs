// Renders charts as PNG for places that show no SVG, such as the extension's details page, and writes the checksum of
// each SVG to pictures.json, so that a test detects outdated pictures.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const CHARTS = ['latency', 'speed-up'];

export async function takeChartPictures(folder, executablePath) {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage({ deviceScaleFactor: 2, colorScheme: 'light' });
    const checksums = {};
    for (const name of CHARTS) {
      const file = path.resolve(folder, `${name}.svg`);
      await page.goto(pathToFileURL(file).href);
      await page.locator('svg').screenshot({ path: path.join(folder, `${name}.png`) });
      checksums[`${name}.png`] = createHash('sha256').update(fs.readFileSync(file)).digest('hex');
    }
    fs.writeFileSync(path.join(folder, 'pictures.json'), `${JSON.stringify(checksums, null, 2)}\n`);
  } finally {
    await browser.close();
  }
}
