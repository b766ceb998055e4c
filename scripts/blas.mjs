// The system libraries that the Linux build of the native MLX addon links to: LAPACK and BLAS.
// OpenBLAS comes along because the reference BLAS satisfies the loader but is about ten times slower. BLIS, where it
// is installed too, is loaded in its place: it multiplies a few rows without packing the weights first.
import fs from 'node:fs';
import { installPackages } from './apt.mjs';
import { run, say, SetupError } from './command.mjs';

/** Where server/models/mlx/binding.ts looks for it. */
const BLIS = '/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3';

/** The BLAS or LAPACK library that the dynamic loader did not find; undefined when something else is missing. */
export function missingLibrary(loaderOutput) {
  return /(lib(?:lapack|blas|openblas)\S*): cannot open shared object file/.exec(loaderOutput)?.[1];
}

/** Installs the libraries, or throws with the command to run by hand; `missing` is what the loader wanted. */
export function installOpenBlas(missing) {
  installPackages({
    expected: `the system library ${missing}`,
    got: 'none',
    packages: ['liblapack3', 'libblas3', 'libopenblas0-pthread'],
    names: 'LAPACK, BLAS and OpenBLAS',
    again: 'npm run setup',
  });
}

/** Installs BLIS if allowed to; without it everything works, only slower, so nothing here fails. */
export function installBlis() {
  if (process.platform !== 'linux' || process.arch !== 'x64' || fs.existsSync(BLIS)) return;
  try {
    installPackages({
      expected: 'the BLIS library for faster matrix products',
      got: 'none',
      packages: ['libblis4-openmp'],
      names: 'BLIS',
      again: 'npm run setup -- --check',
    });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.message} (optional)`);
    const hint = slowBlasHint();
    if (hint !== undefined) say(hint);
  }
}

/** One line when only the slow reference BLAS is there. */
function slowBlasHint() {
  const libraries = run('ldconfig', ['-p'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (!libraries.ok || libraries.output.includes('libopenblas')) return undefined;
  return 'OpenBLAS is not installed: libopenblas0-pthread is 10 times faster than the reference BLAS';
}
