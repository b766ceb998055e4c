// Settings that name the models: a target and a drafter, or a remote engine instead.
import type { ClientSettings } from '../protocol/messages';
import { isProgram } from '../rules/remoteAddress';

export type PairName = Pick<ClientSettings, 'target' | 'drafter' | 'drafterBits' | 'device'> &
  Partial<Pick<ClientSettings, 'strict' | 'remote' | 'remoteKey'>>;

export function usesRemote({ remote }: Pick<PairName, 'remote'>): boolean {
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

export function isSamePair(a: PairName, b: PairName): boolean {
  const [first, second] = [a, b].map((name) =>
    JSON.stringify(usesRemote(name) ? [name.remote, name.remoteKey, serverDrafter(name)] : localPair(name)),
  );
  return first === second;
}
