// node scripts/packageCheck.mjs [VSIX]: checks that a release is reproducible. Packages again in another folder with
// another time zone, language and umask, and compares the bytes with VSIX, or else with a first package.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { run, say, script, SetupError } from './command.mjs';

const OTHER_ENVIRONMENT = { TZ: 'Pacific/Kiritimati', LC_ALL: 'et_EE.UTF-8' };

await script(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flashline-again-'));
  try {
    // npm runs scripts in the repository, and INIT_CWD has the user's folder.
    const from = process.env.INIT_CWD ?? process.cwd();
    const expected = checksum(
      process.argv[2] === undefined
        ? packageInto(path.join(folder, 'first'), process.env)
        : path.resolve(from, process.argv[2]),
    );
    process.umask(0o077);
    const second = packageInto(path.join(folder, 'second'), { ...process.env, ...OTHER_ENVIRONMENT });
    const got = checksum(second);
    if (expected !== got) {
      const remedy = 'compare what "unzip -v" lists for two packages';
      throw new SetupError(`Expected SHA-256 ${expected} for the second package too, got ${got}; ${remedy}`);
    }
    say(`both packages have the same bytes, SHA-256 ${got}`);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

function packageInto(folder, env) {
  fs.mkdirSync(folder);
  const target = `${process.platform}-${process.arch}`;
  const { ok, output, status } = run(process.execPath, ['scripts/package.mjs', target, folder], { env });
  if (!ok) throw new SetupError(`scripts/package.mjs failed (${status}). Fix the errors above.`, output);
  return path.join(
    folder,
    fs.readdirSync(folder).find((name) => name.endsWith('.vsix')),
  );
}

function checksum(file) {
  return createHash('sha256').update(fs.readFileSync(file)).digest('hex');
}
