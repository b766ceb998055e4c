// The process of the checks: it answers questions, and an end of it is an answer, too, after which there is another.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoctorProcess } from '../../server/doctor/doctorProcess';
import type { Question } from '../../server/doctor/doctorWorker';
import { MODES } from '../../server/doctor/modes';
import { temporaryFolder } from '../support/temporaryFolder';

const ASK: Question = { kind: 'addon' };
const [mode = assert.fail()] = MODES.cpu;

/** Does by turns what the questions name. */
const WORKER = `process.on('message', ({ kind }) => {
  if (kind === 'addon') process.send({ result: process.pid });
  if (kind === 'pair') { process.stderr.write('terminating due to an exception'); process.abort(); }
  if (kind === 'measure') setInterval(() => {}, 1000);
});
process.once('disconnect', () => process.exit());`;

describe('the process of the doctor', function () {
  this.timeout(600_000);
  let asked: DoctorProcess;
  afterEach(() => {
    asked.end();
  });

  it('is another one once it has ended, which is told with its words', async () => {
    const program = join(temporaryFolder(), 'worker.cjs');
    writeFileSync(program, WORKER);
    asked = new DoctorProcess(program, []);
    const first = await asked.ask(ASK);
    assert.deepEqual(await asked.ask(ASK), first);
    const ended = await asked.ask({ kind: 'pair', mode });
    assert.ok('problem' in ended);
    assert.match(ended.problem, /^the process ended with SIGABRT: terminating due to an exception/);
    const second = await asked.ask(ASK);
    assert.ok('result' in second);
    assert.notDeepEqual(second, first);
    assert.deepEqual(await asked.ask({ kind: 'measure', device: 'cpu' }, 50), {
      problem: 'the process took longer than 0.05 s',
    });
    assert.ok('result' in (await asked.ask(ASK)));
  });

  it('answers as the program does', async () => {
    asked = new DoctorProcess('dist/cli.js', ['doctor', '--worker']);
    const addon = await asked.ask(ASK);
    assert.ok('result' in addon && 'version' in addon.result);
    assert.match(addon.result.version, /^\d+\.\d+\.\d+/);
    const check = await asked.ask({ kind: 'pair', mode });
    assert.ok('result' in check && 'plain' in check.result, JSON.stringify(check));
    assert.equal(check.result.plain.verdict, 'pass');
  });
});
