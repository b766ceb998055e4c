// States of the status bar entry, which shows one at a time: the one that the user can act on first.
import type { StatusView } from './statusView';
import { formatPercent } from '../../server/rules/formatNumber';
import { reasonTexts, type GateReason } from '../gate/gateReasons';
import type { StatusParams } from '../../server/protocol/messages';
import { isStartedHere } from '../../server/rules/remoteAddress';

/** Icon of states that end by themselves. */
const SPINNER = 'loading~spin';

interface State {
  readonly state:
    | 'starting'
    | 'loading'
    | 'connecting'
    | 'ready'
    | 'fallback'
    | 'asleep'
    | 'generating'
    | 'unreachable'
    | 'paused'
    | 'error';
  readonly icon: string;
  /** Text beside the icon. */
  readonly text: string;
  /** Sentence that describes the state. */
  readonly reason: string;
  /** Speed in the text, in tokens/s; undefined if the text has none. */
  readonly speed?: string | undefined;
}

/** Returns the state in a few words, for the tooltip. */
export function stateWords(state: State['state']): string {
  return {
    starting: 'starting',
    loading: 'loading the model',
    connecting: 'connecting',
    ready: 'ready',
    fallback: 'ready',
    asleep: 'ready',
    generating: 'working',
    unreachable: 'no connection',
    paused: 'paused',
    error: 'stopped by a problem',
  }[state];
}

/** Returns the state to show: a problem first, then a pause, then the work of the server. */
export function stateOf(view: StatusView): State {
  const { connection, server, pause } = view;
  if (connection === 'stopped') {
    const reason = 'The server keeps crashing and was not restarted. Restart it from the menu.';
    return { state: 'error', icon: 'error', text: 'Flashline stopped', reason };
  }
  if (connection === 'restarting')
    return {
      state: 'starting',
      icon: SPINNER,
      text: 'Flashline restarting',
      reason: 'The server is restarting.',
    };
  if (server?.state === 'error') {
    const reason = server.message ?? 'Something went wrong. See the log for details.';
    return { state: 'error', icon: 'error', text: 'Flashline has a problem', reason };
  }
  if (pause !== undefined && pause.reason !== 'multiCursor') return pausedState(pause.reason, pause.text);
  if (connection === 'starting' || server === undefined || server.state === 'starting')
    return {
      state: 'starting',
      icon: SPINNER,
      text: 'Flashline starting',
      reason: 'The server is starting.',
    };
  if (server.state === 'loading') {
    const percent = formatPercent(server.progress ?? 0);
    const reason = `Loading the model: ${percent}.`;
    return { state: 'loading', icon: SPINNER, text: `Flashline loading ${percent}`, reason };
  }
  if (server.paused !== undefined && (server.state === 'ready' || server.state === 'asleep'))
    return pausedState(server.paused, reasonTexts('')[server.paused]);
  return remoteState(server) ?? readyState(view, server);
}

function pausedState(cause: GateReason, reason: string): State {
  const isOff = cause === 'disabled' || cause === 'editor';
  if (cause === 'snoozed') return { state: 'paused', icon: 'bell-slash', text: 'Flashline snoozed', reason };
  return {
    state: 'paused',
    icon: 'circle-slash',
    text: isOff ? 'Flashline off' : 'Flashline paused',
    reason,
  };
}

function readyState(view: StatusView, server: StatusParams): State {
  if (server.state === 'asleep')
    return { state: 'asleep', icon: 'circle-outline', text: 'Flashline', reason: asleepText(server) };
  const shown = { text: speedText(view), speed: view.speed?.rate };
  if (server.state === 'generating')
    return { state: 'generating', icon: 'sync~spin', ...shown, reason: 'Generating.' };
  if (server.fallback !== undefined) {
    const reason = 'The model from your settings is not in use.';
    return { state: 'fallback', icon: 'warning', ...shown, reason };
  }
  const host = server.model?.remote?.host;
  if (host !== undefined && !isStartedHere(host)) {
    const reason = `Parts of your open files are sent to ${host}.`;
    return { state: 'ready', icon: 'cloud-upload', ...shown, reason };
  }
  const usual =
    view.trigger === 'manual' ? 'Suggestions appear only on demand.' : 'Suggestions appear as you type.';
  // Multiple cursors are usually brief, so only the reason mentions them; the text and the icon stay.
  return { state: 'ready', icon: 'zap', ...shown, reason: view.pause?.text ?? usual };
}

/** Returns the state while the remote engine of the settings is not in use and nothing replaces it. */
function remoteState({ state, host = '', message }: StatusParams): State | undefined {
  if (state === 'connecting') {
    const [text, reason] = isStartedHere(host)
      ? [`Flashline: starting ${host}`, `${host} is starting. The log shows what it does.`]
      : [`Flashline: connecting to ${host}`, `Connecting to ${host}.`];
    return { state, icon: SPINNER, text, reason };
  }
  if (state === 'unreachable') {
    const reason = `The remote engine cannot be used. Flashline tries again while you type. ${message ?? ''}`;
    return { state, icon: 'debug-disconnect', text: `Flashline: cannot reach ${host}`, reason };
  }
  if (state !== 'asleep' || host === '') return undefined;
  return {
    state,
    icon: isStartedHere(host) ? 'circle-outline' : 'cloud-upload',
    text: `Flashline: ${host}`,
    reason: isStartedHere(host) ? `Your next key starts ${host}.` : `Your first key connects to ${host}.`,
  };
}

/** Returns the last measured speed, and the host of a remote engine. */
function speedText({ server, speed }: StatusView): string {
  const host = server?.model?.remote?.host;
  if (speed === undefined) return host === undefined ? 'Flashline' : `Flashline: ${host}`;
  return host === undefined ? `Flashline ${speed.rate} tok/s` : `Flashline ${speed.rate} tok/s at ${host}`;
}

function asleepText({ asleepBecause = 'unused', chosen }: StatusParams): string {
  const first =
    chosen?.target === ''
      ? 'The model loads with your first key (about 1 s).'
      : 'The model loads with your first key.';
  return {
    idle: 'The model was unloaded because it was idle. It loads again with your next key.',
    memory: 'The model was unloaded because memory was low. It loads again with your next key.',
    unused: first,
  }[asleepBecause];
}
