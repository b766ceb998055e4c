// Tests the command that checks this machine, with a short program in place of the doctor.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MachineCheck } from '../../src/models/machineCheck';
import { temporaryFolder } from '../support/temporaryFolder';
import { env, window } from './support/fakeVscode';

/** Creates a check that runs a program with this code. */
function checkBy(code: string): MachineCheck {
  const path = join(temporaryFolder(), 'program.cjs');
  writeFileSync(path, code);
  return new MachineCheck(path);
}

const REPORT = "process.stderr.write('1/2 CPU\\n2/2 GPU\\n'); process.stdout.write('# Report\\n');";

describe('the check of this machine', () => {
  let shown: unknown[];
  let lines: string[];
  let cancel: () => void;
  beforeEach(() => {
    shown = [];
    lines = [];
    cancel = () => undefined;
    window.showTextDocument = (document) => Promise.resolve(void shown.push(document));
    for (const kind of ['showInformationMessage', 'showWarningMessage'] as const)
      window[kind] = (message, button) => Promise.resolve(void shown.push([kind, message, button]));
    window.showErrorMessage = (message) => Promise.resolve(void shown.push(message));
    window.withProgress = (_, work) =>
      work(
        { report: ({ message }) => lines.push(message) },
        { onCancellationRequested: (listener) => (cancel = listener) },
      );
  });

  it('shows the report, and copies it on demand', async () => {
    window.showInformationMessage = (_, button) => Promise.resolve(String(button));
    await checkBy(REPORT).run();
    assert.deepEqual(shown, [{ language: 'markdown', content: '# Report\n' }]);
    assert.deepEqual(lines, ['1/2 CPU', '2/2 GPU']);
    await new Promise(setImmediate);
    assert.equal(env.copied, '# Report\n');
  });

  it('copies nothing if its message is closed, and can run again', async () => {
    env.copied = '';
    const check = checkBy(REPORT);
    await check.run();
    await check.run();
    await new Promise(setImmediate);
    const message = 'Models give correct results on this machine.';
    const report = [
      { language: 'markdown', content: '# Report\n' },
      ['showInformationMessage', message, 'Copy Report'],
    ];
    assert.deepEqual([shown, env.copied], [[...report, ...report], '']);
  });

  it('runs the doctor of the command line as a program of Node.js', async () => {
    const words = '[process.argv[2], process.env.ELECTRON_RUN_AS_NODE, process.env.ELECTRON_NO_ASAR]';
    await checkBy(`process.stdout.write(${words}.join());`).run();
    assert.deepEqual(shown[0], { language: 'markdown', content: 'doctor,1,1' });
  });

  it('shows the report of a failing machine with a warning, or says why there is none', async () => {
    await checkBy(`${REPORT} process.exitCode = 1;`).run();
    const [document, message] = shown.splice(0);
    assert.deepEqual(document, { language: 'markdown', content: '# Report\n' });
    assert.equal((message as string[])[0], 'showWarningMessage');
    await checkBy("process.stderr.write('no addon\\n'); process.exitCode = 2;").run();
    assert.deepEqual(shown.splice(0), ['This machine could not be checked: no addon']);
    await checkBy("process.kill(process.pid, 'SIGKILL');").run();
    const remedy = 'The check ended without a report. Run it again.';
    assert.deepEqual(shown, [`This machine could not be checked: ${remedy}`]);
  });

  it('shows nothing if it is cancelled, and ends the program', async () => {
    const check = checkBy("process.stderr.write('1/2\\n'); setInterval(() => {}, 1000);");
    const running = check.run();
    assert.equal(check.run(), running, 'a second check joins the first');
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    cancel();
    await running;
    assert.deepEqual(shown, []);
  });

  it('ends with its window', async () => {
    const check = checkBy("process.stderr.write('1/2\\n'); setInterval(() => {}, 1000);");
    const running = check.run();
    while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    check.dispose();
    await running;
    assert.deepEqual(shown, []);
  });
});
