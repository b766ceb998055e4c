// Installs Debian packages unattended if possible: as root, or through sudo without a password. Otherwise it ends with
// the exact command for the user to run. New machines often update themselves at first, so it waits for a lock that
// another process holds.
import { run, say, SetupError } from './command.mjs';

/** Environment of apt-get. The locale is fixed because we parse its messages about locks. */
const UNATTENDED = ['env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C'];
const INSTALL = ['apt-get', 'install', '-y', '--no-install-recommends'];
const LOCK_WAIT_MS = 15 * 60_000;
const LOCK_RETRY_MS = 2000;

/** Returns the words before `apt-get` that let it run unattended; undefined if it cannot or must not run. */
function aptPrefix({ apt, root, sudo }) {
  if (!apt || !(root || sudo)) return undefined;
  return root ? UNATTENDED : ['sudo', '-n', ...UNATTENDED];
}

/** Returns the remedy if we cannot install anything. `names` describes the packages in words. */
function installAdvice({ apt, root }, { packages, names, retryCommand }) {
  const command = [...(root ? [] : ['sudo']), ...INSTALL, ...packages].join(' ');
  return apt
    ? `Run "${command}" and then "${retryCommand}".`
    : `Install ${names} (on Debian: "${command}") and then run "${retryCommand}".`;
}

/** Describes the lock that stopped apt-get or dpkg and its holder; undefined for another failure. */
function heldLock(output) {
  const byApt =
    /Could not get lock (\/\S+?)(?:\. It is held by process (\d+)(?: \((.+)\))?| - .*\(11: .*)?$/m;
  const byDpkg = /dpkg: error: (dpkg .+) (?:is|was) locked by another process(?: with pid (\d+))?/;
  const [, lock, pid, program] = byApt.exec(output) ?? byDpkg.exec(output) ?? [];
  if (lock === undefined) return undefined;
  // A process outside of our container has no id here and is reported as 0.
  const holder = Number(pid ?? 0) > 0 ? `process ${pid}${program ? ` (${program})` : ''}` : 'another process';
  return `${holder} holds ${lock}`;
}

/**
 * Installs `packages`, or throws an error with advice. `problem` is a clause about the missing program for the error,
 * `names` describes the packages in words, and `retryCommand` is the command to run after an installation by hand.
 * Waits for locks that other processes hold, at most `waitMs` for all steps together.
 */
export function installPackages(
  { problem, ...request },
  { rights = readRights(), runApt = run, waitMs = LOCK_WAIT_MS, retryMs = LOCK_RETRY_MS } = {},
) {
  const prefix = aptPrefix(rights);
  const { packages, retryCommand } = request;
  const advice = installAdvice(rights, request);
  if (prefix === undefined) throw new SetupError(`${problem}. ${advice}`);

  say(`installing ${packages.join(' ')} with apt-get`);
  const deadline = Date.now() + waitMs;
  const apt = (args) => {
    for (let reported; ; sleep(retryMs)) {
      const ended = runApt(prefix[0], [...prefix.slice(1), ...args]);
      const held = ended.ok ? undefined : heldLock(ended.output);
      if (held === undefined) return ended;
      if (Date.now() >= deadline) {
        const remedy = `Wait until that process ends and run "${retryCommand}" again.`;
        throw new SetupError(`apt-get waited for ${waitMs / 1000} s while ${held}. ${remedy}`, ended.output);
      }
      if (held !== reported)
        say(`waiting for another package installation, ${waitMs / 60_000} minutes at most: ${held}`);
      reported = held;
    }
  };
  const install = [...INSTALL, ...packages];
  if (apt(install).ok) return;
  // Fresh containers have no package lists; on other machines, fetching them first would waste half a minute.
  apt(['apt-get', 'update']);
  const { ok, output, status } = apt(install);
  if (!ok) throw new SetupError(`${problem}, and apt-get failed with ${status}. ${advice}`, output);
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Finds out whether there is an apt-get, and whether this process can be root: as it is, or by sudo. */
function readRights() {
  return {
    apt: run('apt-get', ['--version']).ok,
    root: process.getuid?.() === 0,
    sudo: run('sudo', ['-n', 'true']).ok,
  };
}
