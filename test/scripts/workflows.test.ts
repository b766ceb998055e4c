// Tests .github/: workflows are valid for GitHub's language service, run existing scripts and have few permissions;
// issue forms are valid, and the bug form asks for the report of the doctor.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as languageService from '@actions/languageservice';
import { buildSync } from 'esbuild';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/temporaryFolder';

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly options?: string[] };
  readonly validations?: { readonly required?: boolean };
}

const WORKFLOWS = '.github/workflows';
const FORMS = '.github/ISSUE_TEMPLATE';

describe('workflows', () => {
  const files = readdirSync(WORKFLOWS).map((name) => ({
    name,
    text: readFileSync(join(WORKFLOWS, name), 'utf8'),
  }));
  let service: typeof languageService;
  let documents = 0;
  before(() => {
    // Bundled, as its modules import JSON in a way that Node.js refuses.
    const outfile = join(temporaryFolder(), 'service.cjs');
    const contents = "export { validate } from '@actions/languageservice'";
    buildSync({ stdin: { contents, resolveDir: '.' }, outfile, bundle: true, platform: 'node' });
    service = createRequire(outfile)(outfile) as typeof languageService;
  });

  async function problems(text: string): Promise<string[]> {
    // The service caches files by name.
    documents += 1;
    const uri = `file:///.github/workflows/${documents}.yml`;
    const found = await service.validate(TextDocument.create(uri, 'yaml', 1, text));
    return found.map(({ message }) => (typeof message === 'string' ? message : message.value));
  }

  it("accepts all workflows in GitHub's language service", async () => {
    assert.ok(files.length >= 3);
    for (const { name, text } of files) assert.deepEqual(await problems(text), [], name);
  });

  it('pins actions to commits, and containers and Node.js to versions', () => {
    for (const [, use = ''] of lines(/uses: (.*)/g))
      assert.match(use, /^(\.\/\.github\/\S+\.yml|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
    for (const { name, text } of files) {
      const versions = [...text.matchAll(/(?:image: node:|node-version: )(\S+)/g)].map(([, version = '']) =>
        version.replace('-bookworm', ''),
      );
      // @vscode/test-electron needs Node.js 22.
      assert.deepEqual([...new Set(versions)], [name === 'macos.yml' ? '22.23.5' : '20.20.2'], name);
    }
  });

  it('gives workflows read access, one job write access, and limits concurrent runs', () => {
    for (const { name, text } of files) {
      const { permissions, concurrency } = parse(text) as Record<string, unknown>;
      assert.deepEqual(permissions, { contents: 'read' }, name);
      assert.notEqual(concurrency, undefined, name);
    }
    assert.deepEqual(lines(/\w+: write/g).map(String), ['contents: write']);
    assert.equal(lines(/actions\/checkout@/g).length, lines(/persist-credentials: false/g).length);
  });

  it('runs existing npm scripts in workflows', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    const run = lines(/npm run ([\w:]+)/g).map(([, script = '']) => script);
    assert.ok(run.includes('package:check') && run.includes('test:nightly'));
    for (const script of run) assert.ok(script in scripts, script);
  });

  function lines(pattern: RegExp): RegExpExecArray[] {
    return files.flatMap(({ text }) => [...text.matchAll(pattern)]);
  }
});

describe('issue forms', () => {
  const forms = readdirSync(FORMS)
    .filter((name) => name !== 'config.yml')
    .map((name) => {
      const form = parse(readFileSync(join(FORMS, name), 'utf8')) as {
        name?: string;
        description?: string;
        body: Field[];
      };
      return { file: name, ...form, fields: form.body.filter(({ type }) => type !== 'markdown') };
    });

  it('has a name, a description and labelled fields in each issue form', () => {
    assert.ok(forms.length > 0);
    for (const { file, name, description, fields } of forms) {
      assert.ok(name !== undefined && description !== undefined && fields.length > 0, file);
      assert.equal(new Set(fields.map(({ id }) => id)).size, fields.length, file);
      for (const { type, id, attributes } of fields) {
        assert.match(type, /^(textarea|input|dropdown|checkboxes)$/);
        assert.match(id ?? '', /^[\w-]+$/);
        assert.ok(attributes.label !== undefined, id);
        assert.equal(attributes.options !== undefined, type === 'dropdown' || type === 'checkboxes', id);
      }
    }
  });

  it('requires the report of flashline doctor in the bug form', () => {
    const fields = forms.find(({ file }) => file === 'bug.yml')?.fields;
    assert.equal(fields?.find(({ id }) => id === 'doctor')?.validations?.required, true);
  });
});
