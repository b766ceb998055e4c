// Outcomes of requests, in words.
import type { StatsRow } from '../../server/protocol/messages';

export function outcomeText(outcome: StatsRow['outcome']): string {
  return {
    shown: 'shown',
    empty: 'nothing to suggest',
    filtered: 'filtered out',
    hidden: 'probably not wanted',
    stop: 'complete',
    length: 'token limit reached',
    repetition: 'kept repeating itself',
    cancelled: 'cancelled',
    superseded: 'superseded',
    abandoned: 'ended early',
  }[outcome];
}
