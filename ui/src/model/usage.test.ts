// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {type UsagePoint, grown} from './usage';

const point = (input: number, output: number, cost: number | null = null): UsagePoint => ({input, output, cached: 0, cost, seq: 0, at: null});
const all = (points: UsagePoint[]) => points.map(p => p.input + p.output);

it('never falls, although a turn counts less than its messages and subagents did', () => {
  expect(all(grown([point(10, 1), point(50, 2), point(30, 3)], null, null))).toEqual([11, 32, 33]);
});

it('ends at the figure that is shown', () => {
  expect(all(grown([point(10, 1), point(50, 5)], 40, 5))).toEqual([11, 45]);
  // What was spent before the first event that is kept.
  expect(all(grown([point(10, 1), point(50, 5)], 150, 15))).toEqual([121, 165]);
  expect(grown([], 5, 5)).toEqual([]);
});
