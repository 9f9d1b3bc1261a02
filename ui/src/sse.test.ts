// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {MessageParser} from './sse';

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
