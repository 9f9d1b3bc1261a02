// SPDX-License-Identifier: Apache-2.0
// Stretches of a run's log, read in as many answers as they need.
import {type EventPage, api} from './api';

export type Events = EventPage['events'];

export const page = 500;
export const opened = 2_000; // events read when a long run is opened

// Events from a number on. Large ones come in several answers.
export async function readStretch(run: string, from: number, limit: number): Promise<Events> {
  const events: Events = [];
  for (let next = from; next < from + limit; ) {
    const got = await api.events(run, {from: next, limit: from + limit - next});
    events.push(...got.events);
    next = (got.events.at(-1)?.seq ?? got.last) + 1;
    if (next > got.last) break;
  }
  return events;
}

// Two answers: before large events the one in question might not be in the first.
export async function readAround(run: string, seq: number): Promise<Events> {
  const [before, behind] = await Promise.all([
    api.events(run, {before: seq, limit: 100}),
    api.events(run, {from: seq, limit: page - 100}),
  ]);
  return [...before.events, ...behind.events];
}

// The newest events up to `last`, of a log that begins with `first`.
export async function readEnd(run: string, first: number, last: number): Promise<Events> {
  let before = last + 1;
  let events: Events = [];
  while (events.length < opened && before > first) {
    const got = await api.events(run, {before, limit: page});
    if (got.events.length === 0) break;
    events = [...got.events, ...events];
    before = got.events[0]?.seq ?? 0;
  }
  return events;
}

// What a run is opened with: the whole of a short one, the end of a long one; and where its log begins,
// which only the page from 1 says.
export async function readOpening(run: string): Promise<{first: number; events: Events}> {
  const head = await api.events(run, {from: 1, limit: page});
  const first = head.events[0]?.seq ?? 1;
  if (head.last > opened) return {first, events: await readEnd(run, first, head.last)};
  const next = (head.events.at(-1)?.seq ?? head.last) + 1;
  const rest = next > head.last ? [] : await readStretch(run, next, head.last + 1 - next);
  return {first, events: [...head.events, ...rest]};
}
