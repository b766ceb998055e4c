// What the models have read outlives the server: after a restart, the first suggestion in the same file reads next to
// nothing, and is the same one.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { EXAMPLES, examplePlace } from '../editor/examplePlace';
import { Session } from '../editor/session';
import { until } from '../editor/waiting';
import { shootFailure } from './failureShots';

const PLACE = examplePlace('matrix.py:42:18');
/** Beside the last token, which is read in any case. */
const FEW = 16;

describe('a restart of the server', () => {
  let session: Session;
  before(async () => {
    session = await Session.open({ copyOf: EXAMPLES, settings: { 'flashline.prefetch': 'never' } });
  });
  afterEach(async function () {
    await shootFailure(session, this.currentTest);
  });
  after(async () => {
    await session.close();
  });

  /** Asks for a suggestion at the place; returns it with the numbers of its request. */
  async function suggested() {
    const { probe, workbench } = session;
    const before = (await probe.state()).rows.length;
    await workbench.press('Alt+\\');
    await workbench.suggestion();
    const text = await workbench.ghostText();
    const row = await until('the numbers are there', async () => {
      const { rows } = await probe.state();
      return rows.slice(before).find(({ kind }) => kind === 'inline');
    });
    await workbench.press('Escape');
    await workbench.ghost.first().waitFor({ state: 'detached' });
    return { text, ...row.stats };
  }

  it('leaves what was read', async () => {
    const { probe, profile } = session;
    await probe.show(profile.file(PLACE.file), PLACE.offset);
    const first = await suggested();
    assert.equal(first.reusedTokens, 0);
    const { serverProcessId: before } = await probe.state();
    await probe.command('flashline.restart');
    await until('another server runs', async () => {
      const { serverProcessId: now } = await probe.state();
      return now !== undefined && now !== before;
    });
    await session.connected();
    // An editor that is shown anew asks anew.
    await probe.show(profile.file('logParser.py'), 0);
    await probe.show(profile.file(PLACE.file), PLACE.offset);
    const again = await suggested();
    console.log(`      read ${first.promptTokens}, then ${again.promptTokens - again.reusedTokens} tokens`);
    assert.equal(again.text, first.text);
    assert.ok(again.promptTokens - again.reusedTokens <= FEW, `${again.reusedTokens} tokens reused`);
    assert.ok(
      readdirSync(profile.root, { recursive: true }).some((name) => String(name).endsWith('text.json')),
    );
  });
});
