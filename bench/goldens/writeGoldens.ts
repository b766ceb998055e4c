// `npm run goldens`: writes media/doctor/goldens.json, which `flashline doctor` compares a machine with. Run it after
// the fixtures of a family or of the built-in pair have changed.
import { readdirSync, writeFileSync } from 'node:fs';
import { GOLDENS, type Goldens } from '../../server/doctor/goldens';
import { mediaPath } from '../../server/mediaPath';
import { familyGolden } from './familyGoldens';
import { pairGoldens } from './pairGoldens';

export async function writeGoldens(): Promise<void> {
  const families = [];
  for (const name of readdirSync('test/fixtures/targets').sort()) {
    process.stderr.write(`${name}\n`);
    families.push(await familyGolden(name));
  }
  const goldens: Goldens = { families, pair: pairGoldens() };
  // A family per line, so that changes can be seen.
  const list = (each: readonly unknown[]) => each.map((one) => `\n${JSON.stringify(one)}`).join(',');
  const text = `{"families":[${list(goldens.families)}],"pair":[${list(goldens.pair)}]}\n`;
  writeFileSync(mediaPath(GOLDENS), text);
}
