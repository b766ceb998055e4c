// The settings that name the models: a target and a drafter, or a remote engine instead.
import type { ClientSettings } from '../protocol/messages';
import { isProgram } from '../rules/remoteAddress';

/** Settings that name a pair, with the meaning that they have in SERVER_SETTINGS. */
export interface PairName {
  readonly target: string;
  readonly drafter: string;
  readonly drafterBits: ClientSettings['drafterBits'];
  readonly device: ClientSettings['device'];
  readonly strict?: boolean;
  readonly remote?: ClientSettings['remote'];
  readonly remoteKey?: ClientSettings['remoteKey'];
}

/** Returns whether the settings name a remote engine instead of a local pair. */
export function usesRemote({ remote }: PairName): boolean {
  return remote !== undefined && remote.url !== '';
}

/** Returns the name of the local pair, without a drafter that is meant for a llama-server. */
export function localPair({ target, drafter, drafterBits, device, strict = false, remote }: PairName) {
  return { target, drafter: isProgram(remote?.url) ? '' : drafter, drafterBits, device, strict };
}

/** Returns the drafter for a llama-server that Flashline starts; other remote engines choose their own. */
export function serverDrafter({ remote, drafter }: PairName): string {
  return isProgram(remote?.url) ? drafter : '';
}

/** Returns whether two names mean the same remote engine, or the same local pair. */
export function isSamePair(a: PairName, b: PairName): boolean {
  const [first, second] = [a, b].map((name) =>
    JSON.stringify(usesRemote(name) ? [name.remote, name.remoteKey, serverDrafter(name)] : localPair(name)),
  );
  return first === second;
}
