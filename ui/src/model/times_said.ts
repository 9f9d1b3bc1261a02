// SPDX-License-Identifier: Apache-2.0
// How often an event says what somebody looks for: what a page shows of it counts, as for the server
// (web/find_words.hpp), which looks through a run's log.
import type {CanonicalEvent} from './event';
import {lowered, placesIn} from './hits';
import {withoutColours} from './neutral';

function timesIn(value: unknown, words: string): number {
  if (typeof value === 'string') return placesIn(withoutColours(value), words, Infinity).length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + timesIn(one, words), 0);
}

// No ids, no figures, and nothing of a fragment, for the whole message follows it.
export function timesSaid(event: CanonicalEvent, words: string): number {
  if (event.partial === true || event.kind === 'usage') return 0;
  const command = 'command' in event.data; // the input of its call has it once more
  return Object.entries(event.data).reduce((sum, [name, value]) =>
    (name === 'id' || name === 'message_id' || (name === 'input' && command) ? sum : sum + timesIn(value, words)), 0);
}

const most = 1_000;

// The places among events that are numbered from 1, as far as they are found within a few milliseconds.
export function findAmong(events: CanonicalEvent[], words: string, from: number, clock = () => performance.now()) {
  const end = clock() + 20;
  const hits: {seq: number; times: number}[] = [];
  const sought = lowered(words);
  let last = from - 1;
  while (last < events.length && hits.length < most && (last < from || clock() < end)) {
    const event = events[last];
    last += 1;
    const times = event ? timesSaid(event, sought) : 0;
    if (times > 0) hits.push({seq: last, times});
  }
  return {hits, last, more: last < events.length};
}
