// A build of Flashline that is measured: its engine, and its language server as an editor uses it, each in a process.
import { fork, type ChildProcess } from 'node:child_process';
import { basename, join } from 'node:path';
import { CancellationTokenSource } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { answerOf } from '../answerOf';
import { median } from '../../server/rules/median';
import { bundledExamples } from '../../server/cli/complete';
import { servedProcess, type Served } from '../replay/servedProcess';
import { readSourceLocation } from '../../server/cli/sourceLocation';

/** Milliseconds: 512 tokens, one row, 8 rows. */
export interface EngineTimes {
  readonly prefill: number;
  readonly step: number;
  readonly verify: number;
}

export interface Times extends EngineTimes {
  /** From the request to its answer, for a file that the server has not seen. */
  readonly suggestion: number;
}

/** Their median counts. */
const SUGGESTIONS = 3;

export class Subject {
  #documents = 0;

  private constructor(
    private readonly engine: ChildProcess,
    private readonly served: Served,
  ) {}

  /** `folder` is the built repository. */
  static async start(folder: string): Promise<Subject> {
    const engine = fork(join(folder, 'dist/bench/busyWorker.js'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await answerOf(engine);
    const served = servedProcess(join(folder, 'dist/cli.js'));
    // Nothing that was read is kept, so that each request reads its whole prompt.
    await served.client.start({ debounceMs: 0, cacheMemoryMB: 0, prefetch: 'never', load: 'start' });
    const subject = new Subject(engine, served);
    await subject.#suggestion();
    return subject;
  }

  async measure(): Promise<Times> {
    this.engine.send('measure');
    const times = (await answerOf(this.engine)) as EngineTimes;
    const suggestions: number[] = [];
    while (suggestions.length < SUGGESTIONS) suggestions.push(await this.#suggestion());
    return { ...times, suggestion: median(suggestions) };
  }

  async end(): Promise<void> {
    this.engine.disconnect();
    await this.served.end();
  }

  async #suggestion(): Promise<number> {
    const { client } = this.served;
    const [place] = bundledExamples();
    const { file, prefix, suffix } = readSourceLocation(place);
    this.#documents += 1;
    const uri = `file:///${String(this.#documents)}/${basename(file)}`;
    const document = TextDocument.create(uri, 'python', 1, prefix + suffix);
    client.open(document);
    const startedAt = performance.now();
    const items = await client.complete(
      document,
      document.positionAt(prefix.length),
      new CancellationTokenSource().token,
    );
    const elapsed = performance.now() - startedAt;
    client.close(document);
    if (!items?.[0]) throw new Error('Expected a suggestion, got none');
    return elapsed;
  }
}
