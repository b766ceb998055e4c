// A DFlash drafter whose candidate selector is switched off: a copy of its folder without it. All else is the same.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigFields } from '../../server/models/configFields';
import { readSafetensors } from '../../server/models/safetensors';

const SELECTOR = 'candidate_selector.';

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [start: number, end: number];
}

/** Whether the drafter in that folder has a candidate selector. Throws InputError if it is no model. */
export function hasSelector(folder: string): boolean {
  const fields = ConfigFields.ofModel(folder);
  return fields.has('dflash_config') && fields.nested('dflash_config').has('selector_rank');
}

/** Writes the copy to a new temporary folder, which the caller removes. Throws InputError for a damaged file. */
export function withoutSelector(folder: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'flashline-drafters-'));
  const { object: config } = ConfigFields.ofModel(folder);
  const inner = Object.entries(config['dflash_config'] as object).filter(
    ([name]) => !name.startsWith('selector_'),
  );
  const other = { ...config, dflash_config: Object.fromEntries(inner) };
  writeFileSync(join(copy, 'config.json'), JSON.stringify(other));
  const files = readdirSync(folder).filter((name) => name.endsWith('.safetensors'));
  const parts = files.flatMap((name) => tensorsOf(join(folder, name)));
  let end = 0;
  const header = Object.fromEntries(
    parts.map(({ name, dtype, shape, bytes }) => {
      const start = end;
      end += bytes.length;
      return [name, { dtype, shape, data_offsets: [start, end] }];
    }),
  );
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const whole = Buffer.concat([length, text, ...parts.map(({ bytes }) => bytes)]);
  writeFileSync(join(copy, 'model.safetensors'), whole);
  return copy;
}

/** All but those of the selector, with their bytes. */
function tensorsOf(file: string) {
  const known = readSafetensors(file);
  const bytes = readFileSync(file);
  const begin = 8 + Number(bytes.readBigUInt64LE());
  const header = JSON.parse(bytes.toString('utf8', 8, begin)) as Readonly<Record<string, Entry>>;
  return [...known.keys()]
    .filter((name) => !name.startsWith(SELECTOR))
    .flatMap((name) => {
      const entry = header[name];
      if (entry === undefined) return [];
      const { dtype, shape, data_offsets: offsets } = entry;
      const [start, end] = offsets;
      return [{ name, dtype, shape, bytes: bytes.subarray(begin + start, begin + end) }];
    });
}
