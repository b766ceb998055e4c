// Makes VS Code repeat its request for ghost text, since it accepts one result per request.
import * as vscode from 'vscode';

export class RepeatTrigger {
  /**
   * The repeated request. none: no trigger is running. awaited: VS Code was triggered, and has made no request since.
   * made: it has made one since, but while the trigger runs, another one can follow: the first can be for its list.
   */
  #repeat: 'none' | 'awaited' | 'made' = 'none';
  /** Number of triggers that VS Code is still running. */
  #runningCount = 0;

  /** Whether VS Code can still make requests for a trigger. */
  get isRunning(): boolean {
    return this.#repeat !== 'none';
  }

  /** Whether the next request of VS Code is the repeated one. */
  get isAwaited(): boolean {
    return this.#repeat === 'awaited';
  }

  /** Records a request of VS Code. Returns whether it is the repeated one. */
  onRequest(): boolean {
    const { isAwaited } = this;
    if (isAwaited) this.#repeat = 'made';
    return isAwaited;
  }

  /** Triggers VS Code. When triggered, VS Code keeps a visible suggestion, unless `hidesVisible` hides it first. */
  trigger(hidesVisible: boolean): void {
    this.#repeat = 'awaited';
    this.#runningCount += 1;
    if (hidesVisible) void vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
    const triggered = vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    // By the end of the command, VS Code has requested again, or it will not.
    const onEnd = (): void => {
      this.#runningCount -= 1;
      if (this.#runningCount === 0) this.#repeat = 'none';
    };
    triggered.then(onEnd, onEnd);
  }
}
