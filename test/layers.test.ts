// Checks that imports go only from upper layers to lower ones: programs and cli, http and lsp, nextEdit and hosting,
// completion, remote and engine, models, @frost-beta/mlx. Layers that handle requests import only types from the
// engine, except from its folder `request`. Within completion: sessions and instructions, the texts of suggestions,
// prompts, the syntax of languages. Within models: the files that load, families, drafters and hybrid, decoder,
// checkpoint, mlx.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource, type SourceFile } from './sourceFile';

interface Layer {
  /** A folder (ends in a slash) or one file without extension, like the paths below. */
  readonly files: string;
  readonly imports: readonly string[];
  /** Paths for `import type` only. */
  readonly types?: readonly string[];
  /** Imports of types only, also from packages, which the compiler erases. */
  readonly typesOnly?: true;
}

/** The lowest rooms (folders with one subject), which most rooms of the server can import. */
const BASE_ROOMS = ['server/protocol/', 'server/machine/', 'server/rules/'];
const BELOW_MODELS = ['server/machine/', 'server/rules/'];
/** Types of requests and outputs, which the interface of decoders uses. */
const TYPES_OF_DECODERS = [
  'server/engine/decode/',
  'server/engine/request/',
  'server/engine/sampling/sampler',
  'server/models/text/',
  'server/protocol/conversation',
];
/** The files and weights of models, and the addon that computes with them. */
const CHECKPOINTS = ['server/models/mlx/', 'server/models/checkpoint/'];

// The rooms, from the entries down. Imports that no line allows are errors, and so are files outside all rooms.
const LAYERS: readonly Layer[] = [
  { files: 'server/programs/', imports: ['server/'] },
  { files: 'server/cli/', imports: ['server/'] },
  // Benchmarks, and programs that write pages and fixtures; never part of the product.
  { files: 'bench/', imports: ['bench/', 'server/'] },
  // Rules of privacy, which the rest of the extension uses.
  { files: 'src/gate/', imports: ['src/gate/', 'src/configuration', 'server/rules/', 'server/machine/'] },
  {
    files: 'src/',
    imports: [
      'src/',
      'server/protocol/messages',
      'server/protocol/modelCatalogue',
      'server/protocol/nextEditMessages',
      'server/rules/',
      'server/socket/',
      'server/machine/',
    ],
    types: ['server/protocol/conversation'],
  },
  {
    files: 'server/lsp/',
    imports: [
      'server/lsp/',
      'server/nextEdit/',
      'server/hosting/',
      'server/completion/',
      'server/engine/request/',
      'server/hub/',
      ...BASE_ROOMS,
    ],
    types: ['server/engine/'],
  },
  {
    files: 'server/http/',
    imports: [
      'server/http/',
      'server/hosting/',
      'server/completion/',
      'server/engine/request/',
      'server/models/text/',
      ...BASE_ROOMS,
    ],
    types: ['server/engine/'],
  },
  {
    files: 'server/hosting/',
    imports: [
      'server/hosting/',
      'server/completion/',
      'server/engine/request/',
      'server/models/text/',
      'server/remote/remoteError',
      ...BASE_ROOMS,
    ],
    types: ['server/engine/', 'server/remote/remoteEngine'],
  },
  {
    files: 'server/remote/',
    imports: [
      'server/remote/',
      'server/models/text/',
      // Resolves names of tokenizers like names of models; downloads nothing.
      'server/hub/pairDirectories',
      'server/hub/repositoryCache',
      ...BASE_ROOMS,
    ],
    types: ['server/engine/decode/', 'server/engine/request/'],
  },
  { files: 'server/completion/syntax/', imports: ['server/completion/syntax/'] },
  {
    files: 'server/completion/prompt/',
    imports: ['server/completion/prompt/', 'server/completion/syntax/', 'server/rules/', 'server/machine/'],
    types: ['server/completion/decoder', ...TYPES_OF_DECODERS],
  },
  {
    files: 'server/completion/suggestion/',
    imports: [
      'server/completion/suggestion/',
      'server/completion/prompt/',
      'server/completion/syntax/',
      'server/rules/',
    ],
    types: ['server/engine/request/'],
  },
  {
    files: 'server/completion/',
    imports: ['server/completion/', 'server/rules/', 'server/machine/'],
    types: TYPES_OF_DECODERS,
  },
  {
    files: 'server/nextEdit/',
    imports: ['server/nextEdit/', 'server/completion/', 'server/rules/', 'server/machine/'],
    // Decoders and tokenizers that it receives, and types that it shares with clients.
    types: ['server/engine/decode/', 'server/models/text/', 'server/protocol/'],
  },
  { files: 'server/doctor/', imports: ['server/doctor/', 'server/engine/', 'server/models/', ...BASE_ROOMS] },
  { files: 'server/engine/', imports: ['server/engine/', 'server/models/', ...BASE_ROOMS] },
  // Reads facts from the files of checkpoints, but builds no model.
  { files: 'server/hub/', imports: ['server/hub/', 'server/models/checkpoint/', ...BASE_ROOMS] },
  { files: 'server/models/mlx/', imports: ['server/models/mlx/', ...BELOW_MODELS] },
  { files: 'server/models/checkpoint/', imports: [...CHECKPOINTS, ...BELOW_MODELS] },
  {
    files: 'server/models/text/',
    imports: ['server/models/text/', 'server/models/checkpoint/', ...BELOW_MODELS],
    types: ['server/protocol/conversation'],
  },
  {
    files: 'server/models/decoder/',
    imports: ['server/models/decoder/', ...CHECKPOINTS, ...BELOW_MODELS],
  },
  ...['server/models/hybrid/', 'server/models/drafters/'].map((room) => ({
    files: room,
    imports: [room, 'server/models/decoder/', ...CHECKPOINTS, ...BELOW_MODELS],
  })),
  {
    files: 'server/models/families/',
    imports: [
      'server/models/families/',
      'server/models/hybrid/',
      'server/models/drafters/',
      'server/models/decoder/',
      ...CHECKPOINTS,
      ...BELOW_MODELS,
    ],
  },
  // The files that load models.
  { files: 'server/models/', imports: ['server/models/', ...BELOW_MODELS] },
  { files: 'server/socket/', imports: ['server/socket/', ...BASE_ROOMS] },
  // Schemas for zod; clients import only their types.
  { files: 'server/protocol/conversation', imports: [] },
  {
    files: 'server/protocol/',
    imports: ['server/protocol/'],
    types: ['server/engine/request/', 'server/rules/'],
    typesOnly: true,
  },
  { files: 'server/machine/', imports: ['server/machine/', 'server/rules/'] },
  { files: 'server/rules/', imports: ['server/rules/'] },
];

/** Packages that only one room or file can import. */
const PACKAGES = [
  { name: 'vscode', files: 'src/' },
  { name: '@frost-beta/mlx', files: 'server/models/mlx/binding' },
  { name: 'undici', files: 'server/machine/outboundHttp' },
  { name: '@huggingface/hub', files: 'server/hub/library' },
  { name: 'hono', files: 'server/http/' },
  { name: '@hono/node-server', files: 'server/http/' },
  { name: 'prom-client', files: 'server/http/metrics' },
  // Globals count too: prompts leave this machine in one way only.
  { name: 'global fetch', files: 'server/machine/outboundHttp' },
  { name: 'global WebSocket', files: 'nowhere/' },
  { name: 'global EventSource', files: 'nowhere/' },
  { name: 'global XMLHttpRequest', files: 'nowhere/' },
];

/** Code that models complete in benches; it is not part of any program. */
const COMPLETED_CODE = ['files', 'languages', 'projects']
  .map((folder) => `bench/holes/${folder}/`)
  .concat('bench/typing/programs/');
const MEANINGLESS_NAMES = /^(utils?|helpers?|common|managers?|services?|index)$/i;

describe('the layers of the source', () => {
  const folders = ['server', 'src', 'bench', 'test', 'scripts'].filter(existsSync);
  const paths = folders
    .flatMap(filesUnder)
    .filter((path) => !COMPLETED_CODE.some((folder) => within(folder, path)));
  const sources = paths
    .filter((path) => /^(server|src|bench)\/.*\.ts$/.test(path))
    .map((path) => parseSource(path, readFileSync(path, 'utf8')));

  it('import only layers below, in every source file', () => {
    assert.notEqual(sources.length, 0);
    assert.deepEqual(sources.flatMap(violations), []);
  });

  it('contain no files that import each other in a circle', () => {
    assert.deepEqual(circles(sources), []);
  });

  it('contain no file or folder with a meaningless name', () => {
    assert.deepEqual(paths.flatMap(meaninglessNames), []);
  });
});

function violations(file: SourceFile): string[] {
  const { path, imports } = file;
  const layer = LAYERS.find(({ files }) => within(files, path));
  if (layer === undefined) return [`${path}: belongs to no layer`];
  const problems: string[] = [];
  for (const { target, isTypeOnly } of imports) {
    const allowed = [...layer.imports, ...(isTypeOnly ? (layer.types ?? []) : [])];
    const isOurs = /^(server|src|bench|test|scripts)\b/.test(target);
    if (isOurs && !allowed.some((files) => within(files, target))) problems.push(`imports ${target}`);
    if (layer.typesOnly && !isTypeOnly) problems.push(`loads ${target}`);
    for (const { name, files } of PACKAGES)
      if (within(`${name}/`, `${target}/`) && !within(files, path)) problems.push(`names ${name}`);
  }
  return problems.map((problem) => `${path}: ${problem}`);
}

/** Returns the files of each circle of imports, including imports of types. */
function circles(files: readonly SourceFile[]): string[] {
  const imports = new Map(
    files.map(({ path, imports: fileImports }) => [path, fileImports.map(({ target }) => target)]),
  );
  const reached = (path: string, seen = new Set<string>()): Set<string> => {
    for (const target of imports.get(path) ?? []) if (!seen.has(target)) reached(target, seen.add(target));
    return seen;
  };
  return [...imports.keys()].filter((path) => reached(path).has(path)).sort();
}

function meaninglessNames(path: string): string[] {
  const names = path.split('/').map((part) => part.replace(/\..*$/, ''));
  return names.filter((name) => MEANINGLESS_NAMES.test(name)).map((name) => `${path}: ${name} says nothing`);
}

function within(files: string, path: string): boolean {
  return files.endsWith('/') ? path.startsWith(files) : path === files;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}
