// SPDX-License-Identifier: Apache-2.0
import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest';
import {RunFeed} from './feed';

const last = 10_000; // events of the run

interface Asked {
  what: string; // 'run', 'stream', or which events: 'from 1', 'before 900'
  answer: (body?: unknown) => Promise<void>;
  fail: () => Promise<void>;
}

// The server, which answers when the test says so.
let asked: Asked[] = [];
let stretches = 0; // requests for events
const settled = () => new Promise<void>(resolve => setTimeout(resolve));

function eventsOf(query: URLSearchParams) {
  const limit = Number(query.get('limit'));
  const before = query.get('before');
  const from = before === null ? Number(query.get('from')) : Math.max(1, Number(before) - limit);
  const to = Math.min(before === null ? from + limit : Number(before), last + 1);
  const events = [];
  for (let seq = from; seq < to; seq += 1) events.push({seq, event: {kind: 'display_text', data: {text: `line ${seq}`}, origin: {}}});
  return {first: 1, last, events};
}

function detail(more = {}) {
  return {id: 'r-1', state: 'working', revision: 1, ...more};
}

function serve(address: string, {signal}: RequestInit): Promise<Response> {
  const url = new URL(address, 'http://x');
  const query = url.searchParams;
  const kind = url.pathname.split('/').at(-1) ?? '';
  const what = kind === 'events' ? (query.has('before') ? `before ${query.get('before')}` : `from ${query.get('from')}`) : kind === 'stream' ? 'stream' : 'run';
  if (kind === 'events') stretches += 1;
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
    asked.push({
      what,
      answer: async body => {
        resolve(new Response(JSON.stringify(body ?? (kind === 'events' ? eventsOf(query) : detail()))));
        await settled();
      },
      fail: async () => {
        reject(new TypeError('away'));
        await settled();
      },
    });
  });
}

// The oldest request for that which has no answer yet.
function next(what: string): Asked {
  const at = asked.findIndex(one => one.what === what);
  const [found] = asked.splice(at, at < 0 ? 0 : 1);
  if (!found) throw new Error(`nobody asks for ${what}, but for ${asked.map(one => one.what).join(', ')}`);
  return found;
}

// Answers everything but the event stream, as long as something is asked.
async function answerAll(): Promise<void> {
  for (let one = asked.find(({what}) => what !== 'stream'); one; one = asked.find(({what}) => what !== 'stream')) await next(one.what).answer();
}

async function opened(): Promise<RunFeed> {
  const feed = new RunFeed('r-1');
  const open = feed.open();
  await answerAll();
  await open;
  return feed;
}

const kept = (feed: RunFeed) => [feed.story.firstSeq, feed.story.lastSeq, feed.following];
const end = [8_001, last, true];

beforeEach(() => {
  asked = [];
  stretches = 0;
  vi.stubGlobal('document', {hidden: false, addEventListener: () => undefined, removeEventListener: () => undefined});
  vi.stubGlobal('fetch', serve);
});
afterEach(() => vi.unstubAllGlobals());

describe('of two ways that are under way', () => {
  it('the newest event, asked for last, wins over another one', async () => {
    const feed = await opened();
    expect(kept(feed)).toEqual(end);
    feed.point(1, 1);
    const late = [next('before 1'), next('from 1')];
    const latest = feed.latest();
    await answerAll();
    for (const one of late) await one.answer();
    await latest;
    expect(kept(feed)).toEqual(end);
  });

  it('another event, asked for last, wins over the newest one', async () => {
    const feed = await opened();
    feed.point(1, 1);
    await answerAll();
    void feed.latest();
    const late = next('from 401');
    feed.point(5_000, 2);
    await late.answer();
    await answerAll();
    expect(kept(feed)).toEqual([4_900, 5_399, false]);
  });

  it('an event that is kept wins over the newest one', async () => {
    const feed = await opened();
    feed.point(1, 1);
    await answerAll();
    void feed.latest();
    feed.point(1, 2);
    await answerAll();
    expect(kept(feed)).toEqual([1, 400, false]);
  });

  it('the one that was asked for while the run was opened wins over its opening', async () => {
    const feed = new RunFeed('r-1');
    const open = feed.open();
    const late = next('from 1');
    feed.point(5_000, 1);
    await next('run').answer();
    await late.answer();
    await answerAll();
    await open;
    expect(kept(feed)).toEqual([4_900, 5_399, false]);
    expect(asked.map(one => one.what)).toEqual(['stream']);
  });
});

it('cannot be held by the end of a stretch that it is leaving', async () => {
  const feed = await opened();
  feed.point(1, 1);
  const before = stretches;
  feed.follow(true); // the page stands at the end of what it shows
  feed.more();
  await feed.older();
  expect(stretches).toBe(before);
  await answerAll();
  expect(kept(feed)).toEqual([1, 400, false]);
});

it('goes on with what it has when the way fails', async () => {
  const feed = await opened();
  const latest = feed.latest();
  await next('from 10001').fail();
  await latest;
  expect(kept(feed)).toEqual(end);
  feed.point(1, 1);
  next('stream');
  await next('before 1').fail();
  expect(asked.map(one => one.what)).toContain('stream');
});

it('shows the last answer of two that open it', async () => {
  const feed = new RunFeed('r-1');
  const opens = [feed.open()];
  const late = next('run');
  opens.push(feed.open());
  await answerAll();
  await late.fail();
  await Promise.all(opens);
  expect([feed.error.value, feed.loading.value, ...kept(feed)]).toEqual(['', false, ...end]);
});

it('keeps the newer of two answers about the run', async () => {
  const feed = await opened();
  void feed.refresh();
  void feed.refresh();
  const late = next('run');
  await next('run').answer(detail({state: 'completed', revision: 2}));
  await late.answer(detail({state: 'working', revision: 1}));
  expect(feed.detail.value?.state).toBe('completed');
  void feed.refresh();
  await next('run').answer(detail({state: 'working', revision: 1}));
  expect(feed.detail.value?.state).toBe('completed');
});
