// SPDX-License-Identifier: Apache-2.0
// Places where words were found: events, each with how often it has them. The places are counted
// through all events.

export interface Hit {
  seq: number;
  times: number;
}

export interface Spot extends Hit {
  nth: number; // which of the event's own, from 0
}

export function countOf(hits: Hit[]): number {
  return hits.reduce((sum, hit) => sum + hit.times, 0);
}

export function spotAt(hits: Hit[], index: number): Spot | null {
  let rest = index;
  for (const hit of hits) {
    if (rest < hit.times) return {...hit, nth: rest};
    rest -= hit.times;
  }
  return null;
}

// The first place at an event or behind it; the last one where there is none.
export function placeFrom(hits: Hit[], seq: number): number {
  let index = 0;
  for (const hit of hits) {
    if (hit.seq >= seq) return index;
    index += hit.times;
  }
  return index - 1;
}

// Letters of ASCII are the same in either case, as for the server. The length stays.
export function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

// Where the text has the words: at most `limit` places.
export function placesIn(text: string, words: string, limit: number): number[] {
  const places: number[] = [];
  if (words === '') return places;
  const where = lowered(text);
  const what = lowered(words);
  for (let at = where.indexOf(what); at >= 0 && places.length < limit; at = where.indexOf(what, at + what.length)) places.push(at);
  return places;
}
