// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import type {CanonicalEvent} from './event';
import {findAmong, timesSaid} from './times_said';

const event = (kind: string, data: object, more: object = {}) => ({kind, data, origin: {stream: 'word'}, ...more}) as unknown as CanonicalEvent;

// The rows of tests/web/find_words_test.cpp: both count alike.
describe('what an event says', () => {
  it('is counted in every string of the data', () => {
    expect(timesSaid(event('text', {text: 'An error, an ERROR'}), 'error')).toBe(2);
    expect(timesSaid(event('lint_warnings', {items: [{file: 'a.c'}, {file: 'b.c'}]}), '.c')).toBe(2);
    expect(timesSaid(event('text', {text: 'aaaa'}), 'aa')).toBe(2);
  });

  it('leaves out what no page shows', () => {
    for (const one of [
      event('text', {text: 'x'}), event('text', {text: 'word'}, {partial: true}), event('usage', {scope: 'word'}),
      event('tool_started', {id: 'word', tool: 'Bash'}), event('text', {word: 5}),
    ]) expect(timesSaid(one, 'word')).toBe(0);
    expect(timesSaid(event('tool_started', {command: 'ls', input: {command: 'ls'}}), 'ls')).toBe(1);
  });

  it('has no colours between its letters', () => {
    const coloured = event('text', {text: '\u001b[1;31mer\u001b[0mror: \u001b[38:5:9mno\u001b[m'});
    expect([timesSaid(coloured, 'error: no'), timesSaid(coloured, '31m')]).toEqual([1, 0]);
    expect(timesSaid(event('text', {text: '\u001b[31\u001b[\u001b'}), '31')).toBe(1);
  });
});

describe('places among events', () => {
  const events = Array.from({length: 2_500}, (_, i) => event('text', {text: i % 2 === 0 ? 'A Word' : 'nothing'}));

  it('are found from a number on, a thousand at most', () => {
    const page = findAmong(events, 'WORD', 1, () => 0);
    expect([page.hits.length, page.hits[1], page.last, page.more]).toEqual([1_000, {seq: 3, times: 1}, 1_999, true]);
    expect(findAmong(events, 'word', 2_498, () => 0)).toEqual({hits: [{seq: 2_499, times: 1}], last: 2_500, more: false});
    expect(findAmong(events, 'word', 2_501, () => 0)).toEqual({hits: [], last: 2_500, more: false});
  });

  it('are left to the next turn when time is over, and each turn gets on', () => {
    let now = 0;
    const page = findAmong(events, 'nowhere', 7, () => (now += 30));
    expect(page).toEqual({hits: [], last: 7, more: true});
  });
});
