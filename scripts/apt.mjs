// Installs Debian packages unattended where this process may: as root, or through sudo without a password.
// Everywhere else it ends with the exact command for a person to run.
import { run, say, SetupError } from './command.mjs';

const UNATTENDED = ['env', 'DEBIAN_FRONTEND=noninteractive'];
const INSTALL = ['apt-get', 'install', '-y', '--no-install-recommends'];

/** The words before `apt-get` that let it run unattended here, or undefined when it cannot or may not run. */
export function aptPrefix({ apt, root, sudo }) {
  if (!apt || !(root || sudo)) return undefined;
  return root ? UNATTENDED : ['sudo', '-n', ...UNATTENDED];
}

/** What a person should do where we may not install anything; `names` are the packages in words. */
export function installAdvice({ apt, root }, { packages, names, again }) {
  const command = [...(root ? [] : ['sudo']), ...INSTALL, ...packages].join(' ');
  return apt
    ? `run "${command}" and then "${again}"`
    : `install ${names} (on Debian: "${command}") and then run "${again}"`;
}

/** Installs `want.packages`, or throws with the advice; `expected` and `got` say in words what is missing. */
export function installPackages({ expected, got, ...want }) {
  const rights = readRights();
  const prefix = aptPrefix(rights);
  const problem = { expected, got, remedy: installAdvice(rights, want) };
  if (prefix === undefined) throw new SetupError(problem);

  say(`installing ${want.packages.join(' ')} with apt-get`);
  const apt = (words) => run(prefix[0], [...prefix.slice(1), ...words]);
  const install = [...INSTALL, ...want.packages];
  if (apt(install).ok) return;
  // Fresh containers have no package lists; fetching them first would cost everybody else half a minute.
  apt(['apt-get', 'update']);
  const { ok, output, status } = apt(install);
  if (!ok) throw new SetupError({ ...problem, got: `${status} from apt-get`, output });
}

function readRights() {
  return {
    apt: run('apt-get', ['--version']).ok,
    root: process.getuid?.() === 0,
    sudo: run('sudo', ['-n', 'true']).ok,
  };
}
