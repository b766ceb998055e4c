// `npm run probe`: tries out how the built-in target is best prompted to fill a hole, and writes the result next to it,
// so that no first load has to. Run it after the pair, the prompts or the probe have changed.
import { writeFileSync } from 'node:fs';
import { loadPair } from '../../server/cli/arguments';
import { PROBE_VERSION } from '../../server/completion/infillProbe';
import { probedModel } from '../../server/lsp/probedModel';
import { modelFingerprint } from '../../server/modelFingerprint';
import { pairDirectories } from '../../server/hub/pairDirectories';
import { mediaPath } from '../../server/mediaPath';
import { SHIPPED_PROBE, type ShippedProbe } from '../../server/profileStore';

const EMBEDDED = { target: undefined, drafter: undefined } as const;

async function main(): Promise<void> {
  const engine = await loadPair({ ...EMBEDDED, device: 'cpu', draftLength: 'full' });
  try {
    const { info, layout, otherFiles } = await probedModel('', { engine, target: '', drafter: undefined });
    const { targetDirectory } = pairDirectories(EMBEDDED.target, EMBEDDED.drafter);
    const fingerprint = modelFingerprint(targetDirectory);
    const found: ShippedProbe = {
      version: PROBE_VERSION,
      fingerprint,
      infill: info.infill,
      layout,
      otherFiles,
    };
    const file = mediaPath(SHIPPED_PROBE);
    writeFileSync(file, `${JSON.stringify(found)}\n`);
    process.stdout.write(`${file}: ${info.infill}, ${layout}, ${otherFiles ?? 'separated'}\n`);
  } finally {
    await engine.dispose();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`probe: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
