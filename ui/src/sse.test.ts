// SPDX-License-Identifier: Apache-2.0
import {afterEach, expect, it, vi} from 'vitest';
import {EventStream, MessageParser} from './sse';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const stream = ': hello\n\nid: 1\nevent: event\ndata: {"a":1}\n\nid: 2\ndata: x\ndata: y\n\nevent: state\r\ndata:z\r\n\r\nid: 9\n\n';
const whole = [
  {id: '1', event: 'event', data: '{"a":1}'},
  {id: '2', event: 'message', data: 'x\ny'},
  {id: '', event: 'state', data: 'z'},
];

it('reads messages wherever the chunks end', () => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const parser = new MessageParser();
    expect([...parser.push(stream.slice(0, cut)), ...parser.push(stream.slice(cut))]).toEqual(whole);
  }
});

it('tells the other streams that the server is back', async () => {
  vi.useFakeTimers();
  let up = false;
  vi.stubGlobal('fetch', async () => {
    if (!up) throw new Error('away');
    return new Response(new ReadableStream());
  });
  const links = ['', ''];
  const [first, second] = [0, 1].map(i => new EventStream({url: () => '/', lastId: () => '', take: () => undefined, link: state => { links[i] = state; }}));
  first?.start();
  second?.start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(links).toEqual(['lost', 'lost']);
  up = true;
  first?.hurry();
  await vi.advanceTimersByTimeAsync(1);
  expect(links).toEqual(['live', 'live']);
  first?.stop();
  second?.stop();
});
