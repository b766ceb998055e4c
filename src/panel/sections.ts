// Sections of the statistics panel that change with each request.
import type { StatsRow } from '../../server/protocol/messages';
import type { AcceptedByDay } from '../ghostText/acceptedByDay';
import { acceptedTable } from './acceptedTable';
import { explainedRow, explanation } from './explanation';
import { ledgerTable } from './ledger';
import { requestTable } from './requestTable';
import { roundList } from './roundList';
import { isUserRequest } from './rows';

/** Returns the HTML of each section by the id of its element. */
export function sections(rows: readonly StatsRow[], accepted: AcceptedByDay = {}) {
  const userRows = rows.filter(isUserRequest);
  return {
    accepted: acceptedTable(accepted).text,
    requests: requestTable(rows).text,
    why: explanation(explainedRow(userRows)).text,
    'last-rounds': roundList(userRows.findLast(({ rounds }) => rounds.length > 0)).text,
    ledger: userRows.length === 0 ? '' : ledgerTable(userRows).text,
  };
}
