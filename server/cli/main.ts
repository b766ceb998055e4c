// The `flashline` command. For a problem that the user can fix, prints one clear line and exits with 2. Contains no
// benchmarks; finds them in a clone of the repository.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ensureHomeFolder } from '../machine/folders';
import { version } from '../machine/version';
import { failureOf } from '../rules/failure';
import { FREE_FILES, isOutOfFiles } from '../rules/openFiles';
import { UserError, WrongValue } from '../rules/userError';
import { visibleText } from '../rules/visibleText';
import { parseArguments } from './arguments';
import { pairHelp } from './pairArguments';
import { remoteArguments, REMOTE_HELP, REMOTE_OPTIONS, remoteSettings } from './remoteArguments';
import { complete, COMPLETE_HELP, demo, DEMO_HELP } from './complete';
import { doctor, DOCTOR_HELP } from './doctor';
import { generate, GENERATE_HELP } from './generate';
import { models } from './models/models';
import { MODELS_HELP } from './models/modelsArguments';
import { serve, SERVE_HELP } from './serve';

const LSP_HELP = `flashline lsp [--stdio] [options]

Speaks the Language Server Protocol 3.18 over standard input and output: textDocument/inlineCompletion and the
flashline/* messages. Reads its settings from initializationOptions. Exits when its client does. A remote engine is used
only if it is named here: settings of an editor may come from the project that is open.
${REMOTE_HELP}`;

interface Command {
  readonly run: (args: string[]) => Promise<void>;
  /** Help text; undefined if the command prints its help itself. */
  readonly help?: string;
}

type Commands = Readonly<Record<string, Command>>;

const COMMANDS: Commands = {
  complete: { run: complete, help: COMPLETE_HELP },
  generate: { run: generate, help: GENERATE_HELP },
  bench: { run: (args) => runBenchmark('bench', args) },
  replay: { run: (args) => runBenchmark('replay', args) },
  demo: { run: demo, help: DEMO_HELP },
  serve: { run: serve, help: SERVE_HELP },
  lsp: { run: lsp, help: LSP_HELP },
  models: { run: models, help: MODELS_HELP },
  doctor: { run: doctor, help: DOCTOR_HELP },
};

const HELP = `flashline: local code completion by speculative decoding

Usage:
  flashline complete FILE:LINE:COL           complete a file at a cursor
  flashline generate --prompt TEXT           continue a prompt
  flashline generate --batch FILE.jsonl      continue many prompts
  flashline demo [FILE:LINE:COL]             complete a bundled example
  flashline serve                            serve other tools over HTTP
  flashline lsp                              serve an editor over standard input and output
  flashline models [list|pull NAME|...]      list, download, verify and remove models
  flashline doctor                           check that models give correct results on this machine

Only in a clone of the repository:
  flashline bench                            compare plain and speculative decoding on this machine
  flashline replay                           type files the way a person does and time the suggestions

  flashline COMMAND --help                   options of a command
  flashline --version

Terms: the target is the model whose text you get. The drafter is a small model that guesses ahead; the target checks
its guesses (draft tokens), several in one round. A pair is a target and the drafter made for it. Plain decoding does
without drafts.

Options of the commands that load a pair:${pairHelp('adaptive; full for generate and bench')}`;

const NO_FILES_LEFT = `Too many files are open: ${FREE_FILES}`;

/** Runs a command line. Errors go to stderr and set the exit code of the process. */
export async function main(argv: readonly string[], commands = COMMANDS): Promise<void> {
  ensureHomeFolder();
  try {
    await run(argv, commands);
  } catch (error) {
    fail(error);
  }
}

async function run([name, ...args]: readonly string[], commands: Commands): Promise<void> {
  if (name === '--version') return print(version());
  if (name === '--help' || name === '-h' || name === 'help') return print(HELP);
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const expected = `a command (${Object.keys(commands).join(', ')})`;
    const got = name === undefined ? 'nothing' : `"${name}"`;
    throw new WrongValue({ expected, got, remedy: 'see flashline --help' });
  }
  const { help } = command;
  if (help !== undefined && (args.includes('--help') || args.includes('-h'))) return print(help);
  await command.run(args);
}

/** Runs the language server over stdio. The performance marks record the end of each stage for bench/start. */
async function lsp(args: string[]): Promise<void> {
  const { values } = parseArguments({ args, options: { stdio: { type: 'boolean' }, ...REMOTE_OPTIONS } });
  const remote = remoteSettings(remoteArguments(values));
  const { createConnection, ProposedFeatures } = await import('vscode-languageserver/node');
  const { Composition } = await import('../programs/composition');
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  new Composition().serve(connection, remote);
  performance.mark('modules');
}

/** Runs a benchmark. Benchmarks are not part of the product, so the repository builds them as a separate program. */
async function runBenchmark(name: string, args: readonly string[]): Promise<void> {
  const program = join(__dirname, 'bench', 'benchCommands.js');
  if (!existsSync(program)) {
    throw new UserError(
      `Benchmarks are only in a clone of the repository; ${program} is missing. ` +
        `Run "npm run setup" in a clone, then "node dist/cli.js ${name}" there.`,
    );
  }
  const { benchCommands } = createRequire(__filename)(program) as { benchCommands: typeof main };
  await benchCommands([name, ...args]);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(thrown: unknown): void {
  const error = isOutOfFiles(thrown) ? new UserError(NO_FILES_LEFT) : thrown;
  const { isInput, message } = failureOf(error);
  const command = error instanceof UserError ? error.command : undefined;
  const line = command === undefined ? message : withCommand(message, command);
  const text = !isInput && error instanceof Error ? (error.stack ?? message) : line;
  process.stderr.write(`flashline: ${visibleText(text)}\n`);
  process.exitCode = isInput ? 2 : 1;
}

/** Appends the option or variable that a remedy needs, before the final period of a sentence. */
function withCommand(message: string, command: string): string {
  return message.endsWith('.') ? `${message.slice(0, -1)}: ${command}.` : `${message}: ${command}`;
}

/** Exits quietly if the reader of the output has ended, as with `| head`; reports other errors. */
function onOutputError(cause: NodeJS.ErrnoException): void {
  if (cause.code === 'EPIPE') process.exit(0);
  fail(new UserError(`The output cannot be written (${cause.message}). Check the disk.`, { cause }));
  process.exit();
}

if (require.main === module) {
  process.stdout.on('error', onOutputError);
  // A closed stderr must not end the program while stdout still has a reader.
  process.stderr.on('error', () => undefined);
  void main(process.argv.slice(2));
}
