// `npm run goldens`, the program `goldens`: writes media/doctor/goldens.json, which `flashline doctor` compares a
// machine with. Run it after the built-in pair has changed.
import { writeFileSync } from 'node:fs';
import { GOLDENS } from '../../server/doctor/checkMode';
import { mediaPath } from '../../server/machine/folders';
import { pairGoldens } from './pairGoldens';

export function writeGoldens(): void {
  writeFileSync(mediaPath(GOLDENS), `${JSON.stringify({ pair: pairGoldens() })}\n`);
}
