// One request as JSON for others to read: sizes, counters and times. Each field is named here, so that none with text of
// a prompt or an output can get in: of the output only who wrote each token is left.
import type { StatsRow } from '../../server/protocol';

export function exportedRow(row: StatsRow): string {
  const { kind, at, file, outcome, prompt, stats, rates, acceptanceLengths } = row;
  const rounds = row.rounds.map((pieces) => pieces.map(({ source }) => source));
  const parts = prompt?.map(({ name, file, characters, tokens }) => ({ name, file, characters, tokens }));
  const time = new Date(at).toISOString();
  const fields = { kind, time, file, outcome, prompt: parts, stats, rates, acceptanceLengths, rounds };
  return `${JSON.stringify(fields, undefined, 2)}\n`;
}
