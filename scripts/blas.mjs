// Installs the system libraries that the Linux build of the native MLX addon links to: LAPACK and BLAS. Includes
// OpenBLAS because the reference BLAS satisfies the loader but is about ten times slower. BLIS, if installed too, is
// loaded instead: it multiplies a few rows without packing the weights first.
import fs from 'node:fs';
import { installPackages } from './apt.mjs';
import { run, say, SetupError } from './command.mjs';

/** Path at which server/models/mlx/binding.ts looks for BLIS. */
const BLIS = '/usr/lib/x86_64-linux-gnu/blis-openmp/libblas.so.3';

/** Returns the BLAS or LAPACK library that the dynamic loader did not find; undefined for another failure. */
export function missingLibrary(loaderOutput) {
  return /(lib(?:lapack|blas|openblas)\S*): cannot open shared object file/.exec(loaderOutput)?.[1];
}

/** Installs the libraries, or throws an error with the command to run by hand. The loader did not find `missing`. */
export function installOpenBlas(missing) {
  installPackages({
    problem: `The system library ${missing} is missing`,
    packages: ['liblapack3', 'libblas3', 'libopenblas0-pthread'],
    names: 'LAPACK, BLAS and OpenBLAS',
    retryCommand: 'npm run setup',
  });
}

/** Installs BLIS if allowed. It is optional and only faster, so a failure is reported but not thrown. */
export function installBlis() {
  if (process.platform !== 'linux' || process.arch !== 'x64' || fs.existsSync(BLIS)) return;
  try {
    installPackages({
      problem: 'BLIS, a library for faster matrix products, is missing',
      packages: ['libblis4-openmp'],
      names: 'BLIS',
      retryCommand: 'npm run setup -- --check',
    });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`${error.message} BLIS is optional; set-up continues without it.`);
    const hint = slowBlasHint();
    if (hint !== undefined) say(hint);
  }
}

/** Returns a hint if OpenBLAS is missing, so that only the slow reference BLAS can be in use. */
function slowBlasHint() {
  const libraries = run('ldconfig', ['-p'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (!libraries.ok || libraries.output.includes('libopenblas')) return undefined;
  return 'OpenBLAS is not installed: libopenblas0-pthread is 10 times faster than the reference BLAS';
}
