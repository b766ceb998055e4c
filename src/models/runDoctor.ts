// Runs `flashline doctor` as a process of its own, beside the server. Does not know VS Code.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface DoctorRun {
  /** Path of the command line's bundle. */
  readonly program: string;
  /** Called with each line that says how far it is, such as "3/31 CPU float32 packed: llama". */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface DoctorResult {
  /** Markdown. */
  readonly report: string;
  readonly hasPassed: boolean;
}

/** Undefined if it was cancelled. Rejects with what the program said last if it has made no report. */
export function runDoctor({ program, onProgress, signal }: DoctorRun): Promise<DoctorResult | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, 'doctor'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ELECTRON_NO_ASAR: '1' },
      signal,
    });
    let [report, lastLine] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (report += text));
    createInterface(child.stderr).on('line', (line) => {
      lastLine = line;
      onProgress(line);
    });
    child.once('error', (error) => {
      if (!signal.aborted) reject(error);
    });
    child.once('close', (code) => {
      if (signal.aborted) resolve(undefined);
      else if (report === '') reject(new Error(lastLine));
      else resolve({ report, hasPassed: code === 0 });
    });
  });
}
