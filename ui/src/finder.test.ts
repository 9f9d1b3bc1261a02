// SPDX-License-Identifier: Apache-2.0
import {afterEach, describe, expect, it, vi} from 'vitest';
import {api} from './api';
import {Finder} from './finder';
import type {Spot} from './model/hits';

// A log whose events 10, 20, … have the words; a request looks at a hundred of them.
function serveLog(state: {last: number}) {
  vi.stubGlobal('fetch', async (url: string) => {
    const from = Number(new URL(url, 'http://x').searchParams.get('from'));
    const last = Math.min(state.last, from + 99);
    const hits = [];
    for (let seq = from; seq <= last; seq += 1) if (seq % 10 === 0) hits.push({seq, times: 1});
    return new Response(JSON.stringify({hits, last: Math.max(last, from - 1), more: last < state.last}));
  });
}

const find = (words: string, from: number) => api.find('r-1', words, from);

afterEach(() => vi.unstubAllGlobals());

describe('a finder', () => {
  it('reads the whole log, begins where somebody reads and goes round at the ends', async () => {
    serveLog({last: 250});
    const shown: number[] = [];
    const finder = new Finder(find, spot => shown.push(spot.seq));
    await finder.search('x', 235);
    finder.step(1);
    finder.step(1);
    finder.step(-1);
    expect([finder.count, shown]).toEqual([25, [240, 250, 10, 250]]);
  });

  it('takes up what has come since, and stays where it is', async () => {
    const log = {last: 25};
    serveLog(log);
    const shown: Spot[] = [];
    const finder = new Finder(find, spot => shown.push(spot));
    await finder.search('x', 1);
    log.last = 40;
    await finder.more();
    expect([finder.count, finder.index.value, shown.length]).toEqual([4, 0, 1]);
  });

  it('stops counting at a thousand events', async () => {
    serveLog({last: 1_000_000});
    const finder = new Finder(find, () => undefined);
    await finder.search('x', 1);
    expect([finder.count, finder.full.value]).toEqual([1000, true]);
  });

  it('drops the answer to a question that was replaced', async () => {
    serveLog({last: 30});
    const finder = new Finder(find, () => undefined);
    const first = finder.search('x', 1);
    await finder.search('', 1);
    await first;
    expect([finder.count, finder.busy.value, finder.error.value]).toEqual([0, false, '']);
  });

  it('does not go on among the places of other words', async () => {
    serveLog({last: 30});
    const shown: Spot[] = [];
    const finder = new Finder(find, spot => shown.push(spot));
    await finder.search('x', 1);
    const other = finder.search('y', 1);
    finder.step(1);
    expect([finder.count, shown.length]).toEqual([0, 1]);
    await other;
    expect([finder.count, shown.length]).toEqual([3, 2]);
  });

  it('says when the server does not answer', async () => {
    vi.stubGlobal('fetch', async () => { throw new TypeError('no'); });
    const finder = new Finder(find, () => undefined);
    await finder.search('x', 1);
    expect(finder.error.value).toContain('does not answer');
  });
});
