// Tests .vscode/: F5 finds the build and the debugged server. Also tests .nvmrc.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

interface Task {
  readonly label: string;
  readonly script?: string;
  readonly command?: string;
}

interface Launch {
  readonly name: string;
  readonly preLaunchTask?: string;
  readonly port?: number;
}

interface Debugging {
  readonly configurations: readonly Launch[];
  readonly compounds: readonly { readonly configurations: readonly string[] }[];
}

/** Reads JSON with comments, as VS Code does. */
function read(file: string): unknown {
  const result: { config?: unknown; error?: unknown } = ts.readConfigFile(file, (path) =>
    readFileSync(path, 'utf8'),
  );
  assert.equal(result.error, undefined, file);
  return result.config;
}

describe('debugging with F5', () => {
  const { tasks } = read('.vscode/tasks.json') as { readonly tasks: readonly Task[] };
  const { configurations, compounds } = read('.vscode/launch.json') as Debugging;

  it('names only tasks and npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    for (const { label, script, command } of tasks)
      assert.ok(script === undefined ? existsSync(command?.split(' ')[1] ?? '') : script in scripts, label);
    const labels = tasks.map(({ label }) => label);
    for (const { name, preLaunchTask } of configurations)
      assert.ok(preLaunchTask === undefined || labels.includes(preLaunchTask), name);
  });

  it('attaches the debugger to the port of the server in a debugged window', () => {
    const port = configurations.find(({ name }) => name === 'Server')?.port;
    const source = readFileSync('src/connection/serverLink.ts', 'utf8');
    assert.equal(/--inspect=(\d+)/.exec(source)?.[1], String(port));
    assert.ok(readFileSync('docs/internals/contributing.md', 'utf8').includes(`port ${port}`));
    const names = configurations.map(({ name }) => name);
    for (const name of compounds.flatMap((compound) => compound.configurations))
      assert.ok(names.includes(name), name);
  });

  it('uses the same version of Node.js in .nvmrc as in ci.yml', () => {
    const version = readFileSync('.nvmrc', 'utf8').trim();
    assert.ok(readFileSync('.github/workflows/ci.yml', 'utf8').includes(`node:${version}-bookworm`));
  });
});
