// The system libraries that the Linux build of the native MLX addon links to: LAPACK and BLAS.
// OpenBLAS comes along because the reference BLAS satisfies the loader but is about ten times slower.
import { installPackages } from './apt.mjs';
import { run } from './command.mjs';

/** The BLAS or LAPACK library that the dynamic loader did not find; undefined when another is missing. */
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

/** One line when only the slow reference BLAS is there. Not an error: everything works, only slower. */
export function slowBlasHint() {
  const libraries = run('ldconfig', ['-p'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (!libraries.ok || libraries.output.includes('libopenblas')) return undefined;
  return 'OpenBLAS is not installed: libopenblas0-pthread is 10 times faster than the reference BLAS';
}
