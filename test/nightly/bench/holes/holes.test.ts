// What is missing can be shown: at every hole a right answer passes all rules, so that a miss is the model's.
import assert from 'node:assert/strict';
import { judgeFill } from '../../../../bench/holes/judgeFill';
import { missingText, readHoles, type Hole } from '../../../../bench/holes/holes';
import { languageIdOf } from '../../../../bench/replay/sources';
import { completionContext } from '../../../../server/completion/prompt/context';
import { documentSnapshot } from '../../../../server/completion/prompt/eligibility';
import { suggest } from '../../../../server/completion/session/suggest';
import { at, tools } from '../../../completion/suggesting';

async function answered(hole: Hole): Promise<string> {
  const { path, source, start, end } = hole;
  const before = source.slice(0, start);
  const text = before + source.slice(end);
  const document = { uri: path, fileName: path, languageId: languageIdOf(path), version: 1, text };
  const snapshot = documentSnapshot(document);
  assert.notEqual(snapshot.languageId, 'plaintext', path);
  assert.equal(snapshot.ineligible, undefined, path);
  const answer = (prompt: string): string[] => {
    // It is asked to write the last token again.
    const again = Array.from({ length: 40 }, (_, i) => i).find((i) =>
      prompt.endsWith(before.slice(-60 - i, before.length - i)),
    );
    return (before.slice(before.length - (again ?? 0)) + missingText(hole)).match(/[^]{1,4}/g) ?? [];
  };
  const { texts } = await suggest(
    at(completionContext(snapshot, start)),
    tools([answer], { layout: 'spm', finishReason: 'stop' }),
  );
  return texts[0] ?? '';
}

describe('holes', () => {
  for (const folder of ['bench/holes', 'bench/holes/languages', 'bench/holes/projects'])
    it(`shows what is missing in ${folder}`, async () => {
      const missed: string[] = [];
      for (const hole of readHoles(folder)) {
        const text = await answered(hole);
        if (!judgeFill({ hole, text }).wholeExact)
          missed.push(`${hole.path}:${String(hole.line)} ${JSON.stringify(missingText(hole))}, got ${text}`);
      }
      assert.deepEqual(missed, []);
    });
});
