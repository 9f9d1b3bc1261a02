// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {type UsagePoint, grown, joined} from './usage';

const point = (input: number, output: number, seq = 0): UsagePoint => ({input, output, cost: null, seq, at: null});
const all = (points: UsagePoint[]) => points.map(p => p.input + p.output);

it('never falls, although a turn counts less than its messages and subagents did', () => {
  expect(all(grown([point(10, 1), point(50, 2), point(30, 3)], null, null))).toEqual([11, 32, 33]);
});

it('ends at the figure that is shown', () => {
  expect(all(grown([point(10, 1), point(50, 5)], 40, 5))).toEqual([11, 45]);
  expect(all(grown([point(10, 1), point(50, 5)], 150, 15))).toEqual([11, 165]);
  expect(grown([], 5, 5)).toEqual([]);
});

it('is the one of the server where the page has read a stretch of the run', () => {
  const whole = [point(10, 0, 5), point(20, 0, 10), point(30, 0, 15), point(40, 0, 20)];
  // The end of it, a stretch in the middle, and one that has no figures.
  for (const stretch of [[point(10, 0, 15), point(20, 0, 20)], [point(10, 0, 10)], []]) expect(all(joined(stretch, whole))).toEqual([10, 20, 30, 40]);
  // The run goes on, and the server's answer is older than the newest events.
  expect(all(joined([point(10, 0, 15), point(20, 0, 20), point(30, 0, 25)], whole))).toEqual([10, 20, 30, 40, 50]);
  expect(all(joined([point(10, 0, 25)], whole))).toEqual([10, 20, 30, 40, 50]);
});

it('is what the page has counted where it has read everything', () => {
  const own = [point(10, 0, 5), point(15, 0, 7), point(20, 0, 10)];
  expect(joined(own, [point(10, 0, 5), point(20, 0, 10)])).toBe(own);
  expect(joined(own, [])).toBe(own);
});
