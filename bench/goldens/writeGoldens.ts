// `npm run goldens`: writes the goldens, media/doctor/goldens.json, which `flashline doctor` compares a
// machine with. Run it after the built-in pair has changed.
import { writeFileSync } from 'node:fs';
import { GOLDENS } from '../../server/doctor/checkMode';
import { mediaPath } from '../../server/machine/folders';
import { pairGoldens } from './pairGoldens';

export const HELP = 'Writes media/doctor/goldens.json from test/fixtures/.';

export function run(): void {
  writeFileSync(mediaPath(GOLDENS), `${JSON.stringify({ pair: pairGoldens() })}\n`);
}
