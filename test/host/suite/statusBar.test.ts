// Tests the status bar item in the states of the extension.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { formatRate } from '../../../server/rules/formatNumber';
import type { FlashlineApi } from '../../../src/extension';
import { until } from '../../editor/waiting';
import { closeEditors, flashline, rowsOf, show } from '../flashline';

describe('status bar', () => {
  let api: FlashlineApi;
  before(async () => {
    api = await flashline();
  });
  afterEach(closeEditors);

  it('shows the speed of the last request in the status bar', async () => {
    // Any model continues this file at length; the speed of a short output is not shown.
    await show('readout.ts', "export const MONTHS = [\n  'January',\n‸");
    await vscode.commands.executeCommand('flashline.generate', 'the other months');
    const row = await until('a request is reported', () => rowsOf(api, 'readout.ts').at(-1));
    await until('the status is ready', () => api.status().state === 'ready');
    const speed = formatRate(row.rates.decodeTokensPerSecond);
    assert.ok(api.status().text.includes(`Flashline ${speed} tok/s`), `${api.status().text}, not ${speed}`);
    const perPass = `${row.rates.tokensPerRound.toFixed(1)} tokens per pass`;
    assert.ok(api.status().tooltip.includes(perPass), api.status().tooltip);
  });

  it('shows in the status bar that suggestions are paused, and why', async () => {
    await show('paused.ts', 'const a = ‸');
    await vscode.commands.executeCommand('flashline.snooze', 5);
    assert.equal(api.status().state, 'paused');
    assert.match(api.status().reason, /snoozed until/);
    await vscode.commands.executeCommand('flashline.snooze', 0);
    assert.equal(api.status().state, 'ready');
    await show('.env', 'KEY=‸');
    await until('the status is paused', () => api.status().state === 'paused');
  });
});
