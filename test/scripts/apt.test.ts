// The decisions of scripts/apt.mjs: whether a command may install packages here, and what to advise otherwise.
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Rights {
  readonly apt: boolean;
  readonly root: boolean;
  readonly sudo: boolean;
}

interface Apt {
  aptPrefix(rights: Rights): string[] | undefined;
  installAdvice(rights: Rights, want: { packages: string[]; names: string; again: string }): string;
}

describe('scripts/apt.mjs', () => {
  let apt: Apt;
  before(async () => {
    apt = (await import(pathToFileURL(resolve('scripts/apt.mjs')).href)) as Apt;
  });

  it('calls apt-get as root, else through sudo, else not at all', () => {
    const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive'];
    assert.deepEqual(apt.aptPrefix({ apt: true, root: true, sudo: true }), quiet);
    assert.deepEqual(apt.aptPrefix({ apt: true, root: false, sudo: true }), ['sudo', '-n', ...quiet]);
    assert.equal(apt.aptPrefix({ apt: true, root: false, sudo: false }), undefined);
    assert.equal(apt.aptPrefix({ apt: false, root: true, sudo: true }), undefined);
  });

  it('advises the exact command, without sudo for root', () => {
    const want = { packages: ['libblas3', 'liblapack3'], names: 'BLAS and LAPACK', again: 'npm run setup' };
    const install = 'apt-get install -y --no-install-recommends libblas3 liblapack3';
    const advice = (available: boolean, root: boolean) =>
      apt.installAdvice({ apt: available, root, sudo: false }, want);
    assert.equal(advice(true, false), `run "sudo ${install}" and then "npm run setup"`);
    assert.equal(advice(true, true), `run "${install}" and then "npm run setup"`);
    assert.equal(
      advice(false, false),
      `install BLAS and LAPACK (on Debian: "sudo ${install}") and then run "npm run setup"`,
    );
  });
});
