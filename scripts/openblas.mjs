// Installs the system libraries that the Linux build of the native MLX addon links to: LAPACK and BLAS.
// OpenBLAS comes along because the reference BLAS satisfies the loader but is about ten times slower.
import { run, say, SetupError } from './command.mjs';

const PACKAGES = ['liblapack3', 'libblas3', 'libopenblas0-pthread'];
const UNATTENDED = ['env', 'DEBIAN_FRONTEND=noninteractive'];
const INSTALL = ['apt-get', 'install', '-y', '--no-install-recommends', ...PACKAGES];

/** The BLAS or LAPACK library that the dynamic loader did not find; undefined when another is missing. */
export function missingLibrary(loaderOutput) {
  return /(lib(?:lapack|blas|openblas)\S*): cannot open shared object file/.exec(loaderOutput)?.[1];
}

/** The words before `apt-get` that let it run unattended here, or undefined when it cannot or may not run. */
export function aptPrefix({ apt, root, sudo }) {
  if (!apt || !(root || sudo)) return undefined;
  return root ? UNATTENDED : ['sudo', '-n', ...UNATTENDED];
}

/** What a person should do where we may not install anything. */
export function installAdvice({ apt, root }) {
  const command = `${root ? '' : 'sudo '}${INSTALL.join(' ')}`;
  return apt
    ? `run "${command}" and then "npm run setup"`
    : `install LAPACK, BLAS and OpenBLAS (on Debian: "${command}") and then run "npm run setup"`;
}

/** Installs the libraries, or throws with the command to run by hand; `missing` is what the loader wanted. */
export function installOpenBlas(missing) {
  const rights = readRights();
  const prefix = aptPrefix(rights);
  const problem = { expected: `the system library ${missing}`, got: 'none', remedy: installAdvice(rights) };
  if (prefix === undefined) throw new SetupError(problem);

  say(`${missing} is missing, installing ${PACKAGES.join(' ')} with apt-get`);
  const apt = (words) => run(prefix[0], [...prefix.slice(1), ...words]);
  if (apt(INSTALL).ok) return;
  // Fresh containers have no package lists; fetching them first would cost everybody else half a minute.
  apt(['apt-get', 'update']);
  const { ok, output, status } = apt(INSTALL);
  if (!ok) throw new SetupError({ ...problem, got: `${status} from apt-get`, output });
}

/** One line when only the slow reference BLAS is there. Not an error: everything works, only slower. */
export function slowBlasHint() {
  const libraries = run('ldconfig', ['-p'], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  if (!libraries.ok || libraries.output.includes('libopenblas')) return undefined;
  return 'OpenBLAS is not installed: libopenblas0-pthread is 10 times faster than the reference BLAS';
}

function readRights() {
  return {
    apt: run('apt-get', ['--version']).ok,
    root: process.getuid?.() === 0,
    sudo: run('sudo', ['-n', 'true']).ok,
  };
}
