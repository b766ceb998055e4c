import { readdir, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = 'Usage: rename-files FOLDER --prefix NAME [--dry-run]';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    prefix: { type: 'string', short: 'p' },
    'dry-run': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

function newName(prefix: string, index: number, file: string): string {
  const number = String(index + 1).padStart(3, '0');
  return `${prefix}-${number}${extname(file).toLowerCase()}`;
}

async function main(): Promise<number> {
  const [folder] = positionals;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (folder === undefined || values.prefix === undefined) {
    console.error(USAGE);
    return 1;
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  files.sort();
  for (const [index, file] of files.entries()) {
    const target = newName(values.prefix, index, file);
    console.log(`${file} -> ${target}`);
    if (!values['dry-run']) {
      await rename(join(folder, file), join(folder, target));
    }
  }
  console.log(`${files.length} files renamed`);
  return 0;
}

process.exitCode = await main();
