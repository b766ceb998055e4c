// Finds a Python with PyTorch for the tests of the training code; on Debian it installs one if allowed to.
// Nothing else needs it: neither building nor using the extension.
import { installPackages } from './apt.mjs';
import { run } from './command.mjs';

/** Debian's own Python comes first, as Debian's packages serve no other. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/** Path of a Python that has torch and numpy. PYTHON in the environment comes first. */
export function ensureTorch() {
  return find() ?? install();
}

function install() {
  const missing = {
    expected: 'a Python with torch and numpy',
    got: 'none',
    packages: ['python3', 'python3-torch', 'python3-numpy'],
    names: 'PyTorch and NumPy, and set PYTHON to the Python that has them',
    again: 'npm test',
  };
  installPackages(missing);
  return find();
}

function find() {
  const { PYTHON } = process.env;
  const pythons = PYTHON ? [PYTHON] : PYTHONS;
  return pythons.find((python) => run(python, ['-c', 'import torch, numpy']).ok);
}
