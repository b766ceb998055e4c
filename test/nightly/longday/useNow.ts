// Returns the resources of this process: memory, handles and listeners.
import type { EventEmitter } from 'node:events';

export interface ResourceUse {
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** Memory of buffers, which V8 does not count as heap. */
  readonly externalBytes: number;
  /** Handles that keep the process running: sockets, pipes, timers and requests. */
  readonly handles: number;
  /** Listeners of the process and of its open handles. */
  readonly listeners: number;
}

export function useNow(): ResourceUse {
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    residentBytes: rss,
    heapBytes: heapUsed,
    externalBytes: external,
    handles: process.getActiveResourcesInfo().length,
    listeners: [process, ...openHandles()].reduce((sum, emitter) => sum + listenersOf(emitter), 0),
  };
}

/** Lists open handles by a private function of Node.js; empty if that is missing. */
function openHandles(): EventEmitter[] {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles?: () => EventEmitter[] };
  return (handles?.() ?? []).filter((handle) => typeof handle.eventNames === 'function');
}

function listenersOf(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}
