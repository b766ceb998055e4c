// Finds a Python with PyTorch for the tests of the training code; on Debian, installs one if allowed. Neither building
// nor using the extension needs it.
import { installPackages } from './apt.mjs';
import { run } from './command.mjs';

/** Candidates. Debian's own Python comes first, as Debian's packages work with no other. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** Returns the path of a Python with torch and numpy. PYTHON in the environment takes precedence. */
export function ensureTorch() {
  return find() ?? install();
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
  const { PYTHON } = process.env;
  const pythons = PYTHON ? [PYTHON] : PYTHONS;
  return pythons.find((python) => run(python, ['-c', 'import torch, numpy']).ok);
}
