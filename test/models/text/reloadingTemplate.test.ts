// Tests the chat template of a loaded model, after it exceeded its time limit.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { Script } from 'node:vm';
import { CpuLimitReached } from '../../../server/machine/cpuLimit';
import { ReloadingTemplate } from '../../../server/models/text/reloadingTemplate';
import { temporaryFolder } from '../../support/temporaryFolder';

const QUESTION = [{ role: 'user', content: 'x' }] as const;

function folderWith(template: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'chat_template.jinja'), template);
  return folder;
}

describe('ReloadingTemplate', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  it('loads a template again for the next conversation after a timeout at load', () => {
    const watched = mock.method(Script.prototype, 'runInContext', () => {
      throw Object.assign(new Error('Script execution timed out'), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
    });
    const template = new ReloadingTemplate(folderWith('{% for m in messages %}{{ m.content }}{% endfor %}'));
    assert.ok(template.problem instanceof CpuLimitReached);
    assert.equal(template.render(QUESTION), undefined);
    watched.mock.restore();
    assert.deepEqual(template.render(QUESTION), [{ text: 'x', from: 'template' }]);
    assert.equal(template.problem, undefined);
  });

  for (const name of [
    'chat_template.jinja',
    'additional_chat_templates/tool_use.jinja',
    'chat_template.json',
  ])
    it(`reports that ${name} cannot be read, and does not fail the load`, () => {
      const folder = temporaryFolder();
      // A folder in place of the file.
      mkdirSync(join(folder, name), { recursive: true });
      const template = new ReloadingTemplate(folder);
      assert.equal(template.render(QUESTION), undefined);
      assert.match(template.problem?.message ?? '', new RegExp(`${name}, got `));
    });

  it('does not load a wrong template again', () => {
    const folder = folderWith('{% for %}');
    const template = new ReloadingTemplate(folder);
    writeFileSync(join(folder, 'chat_template.jinja'), 'right');
    assert.equal(template.render(QUESTION), undefined);
    assert.match(template.problem?.message ?? '', /a chat template that works/);
  });
});
