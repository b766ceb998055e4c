// Renders the report of a benchmark from its JSON in bench/results/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError, WrongValue } from '../../server/rules/userError';
import { renderReport, type BenchReport } from '../decode/decodeReport';
import { renderDepths, type DepthReport } from '../decode/depthReport';
import { renderHoles, type HolesReport } from '../holes/holesReport';
import { renderPeers, type PeersReport } from '../peers/peersReport';
import type { Figures } from '../replay/figures';
import { renderFigures } from '../replay/replayReport';
import { renderStart, type StartReport } from '../start/startReport';

const RENDERERS: Readonly<Record<string, (result: unknown) => string>> = {
  decode: (result) => renderReport(result as BenchReport),
  depth: (result) => renderDepths(result as DepthReport),
  replay: (result) => renderFigures(result as Figures),
  holes: (result) => renderHoles(result as HolesReport),
  start: (result) => renderStart(result as StartReport),
  peers: (result) => renderPeers(result as PeersReport),
};

/** Throws UserError for an unknown benchmark, or if its results cannot be read. */
export function resultText(name: string): string {
  const render = RENDERERS[name];
  if (render === undefined)
    throw new WrongValue({
      expected: `a result named ${Object.keys(RENDERERS).join(', ')}`,
      got: `"${name}"`,
      remedy: 'mend its name on the page',
    });
  return render(readResult(name));
}

export function readResult(name: string): unknown {
  const file = join('bench/results', `${name}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const remedy = 'Run the benchmark that writes them; docs/internals/methods.md names it.';
    throw new UserError(`The results in ${file} cannot be read. ${remedy}`, { cause });
  }
}
