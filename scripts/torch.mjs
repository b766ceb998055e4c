// Finds a Python with PyTorch for the tests of the training code; on Debian, installs one if allowed. Neither building
// nor using the extension needs it.
import { installPackages } from './apt.mjs';
import { run, SetupError } from './command.mjs';

/** Candidates. Debian's own Python comes first, as Debian's packages work with no other. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** Returns the path of a Python with torch and numpy. PYTHON in the environment takes precedence and must have both. */
export function ensureTorch() {
  const chosen = process.env.PYTHON;
  if (!chosen) return find() ?? install();
  const { ok, status, output } = importTorch(chosen);
  if (ok) return chosen;
  const remedy = 'Set PYTHON to a Python that can, or unset it.';
  throw new SetupError(`PYTHON=${chosen} cannot import torch and numpy (${status}). ${remedy}`, output);
}

function install() {
  installPackages({
    problem: 'A Python with torch and numpy is missing',
    packages: ['python3', 'python3-torch', 'python3-numpy'],
    names: 'PyTorch and NumPy, and set PYTHON to the Python that has them',
    retryCommand: 'npm test',
  });
  return find();
}

function find() {
  return PYTHONS.find((python) => importTorch(python).ok);
}

function importTorch(python) {
  return run(python, ['-c', 'import torch, numpy']);
}
