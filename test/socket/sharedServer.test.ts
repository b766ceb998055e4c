// The process that windows share: one for all of them, whoever starts it, whoever goes and however.
import assert from 'node:assert/strict';
import { until } from '../editor/waiting';
import { closeWindow, SharedWindows } from './sharedWindows';

const LINGER_MS = 300;
const NO_MODEL = { target: '/nowhere' };

describe('the server that windows share', () => {
  let windows: SharedWindows;
  beforeEach(() => {
    windows = new SharedWindows(LINGER_MS);
  });
  afterEach(() => {
    windows.remove();
  });

  it('is one, when six windows start at the same time', async () => {
    const open = await Promise.all(Array.from({ length: 6 }, () => windows.open(NO_MODEL)));
    const [{ processId } = { processId: 0 }] = open;
    assert.deepEqual(new Set(open.map((window) => window.processId)), new Set([processId]));
    await until('the others have ended', () => windows.running().length === 1);
    await Promise.all(open.map(closeWindow));
    await until('it has ended, too', () => windows.running().length === 0);
    assert.deepEqual(windows.files, []);
  });
});
