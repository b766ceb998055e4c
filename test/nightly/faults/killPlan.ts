// When a server is to be killed, told from the harness to the module that is loaded into the server.
export interface KillPlan {
  readonly point: 'loading' | 'prefill' | 'draft' | 'verify' | 'storing';
  /** At which pass of this point, from 1. */
  readonly pass: number;
  /** Milliseconds later, by another thread, so that the kill may fall into native code. */
  readonly delayMs: number;
}

/** Names the file of the plan; whoever reads it removes it, so that the next server lives. */
export const PLAN_FILE = 'FLASHLINE_KILL_PLAN';
