// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import {countOf, placeFrom, placesIn, spotAt} from './hits';

const hits = [{seq: 3, times: 2}, {seq: 9, times: 1}, {seq: 12, times: 3}];

describe('found places', () => {
  it('are counted through all events', () => {
    expect(countOf(hits)).toBe(6);
    expect([0, 1, 2, 3, 5, 6].map(index => spotAt(hits, index))).toEqual([
      {seq: 3, times: 2, nth: 0}, {seq: 3, times: 2, nth: 1}, {seq: 9, times: 1, nth: 0}, {seq: 12, times: 3, nth: 0}, {seq: 12, times: 3, nth: 2}, null,
    ]);
  });

  it('begin where somebody reads, and at the last one behind the end', () => {
    expect([1, 3, 4, 12, 13].map(seq => placeFrom(hits, seq))).toEqual([0, 0, 2, 3, 5]);
    expect(placeFrom([], 1)).toBe(-1);
  });

  it('are found in either case of ASCII letters, with offsets that fit the text', () => {
    expect(placesIn('Error \u0130 eRRor errors', 'ERROR', 9)).toEqual([0, 8, 14]);
    expect(placesIn('aaaa', 'aa', 9)).toEqual([0, 2]);
    expect(placesIn('aaaa', 'a', 2)).toEqual([0, 1]);
    expect(placesIn('a.c abc', '.', 9)).toEqual([1]);
    expect(placesIn('aaaa', '', 9)).toEqual([]);
  });
});
