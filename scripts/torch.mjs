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
  const remedy = 'set PYTHON to a Python that has both, or to nothing';
  throw new SetupError({
    expected: `PYTHON=${chosen} to import torch and numpy`,
    got: status,
    remedy,
    output,
  });
}

function install() {
  const missing = {
    expected: 'a Python with torch and numpy',
    got: 'none',
    packages: ['python3', 'python3-torch', 'python3-numpy'],
    names: 'PyTorch and NumPy, and set PYTHON to the Python that has them',
    retryCommand: 'npm test',
  };
  installPackages(missing);
  return find();
}

function find() {
  return PYTHONS.find((python) => importTorch(python).ok);
}

function importTorch(python) {
  return run(python, ['-c', 'import torch, numpy']);
}
