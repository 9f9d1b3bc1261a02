// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {ticks} from './ticks';

const step = (length: number, timed = true) => ticks(length, timed)[1];

it('counts time in round minutes and hours', () => {
  expect([90, 8_000, 40_000, 100_000, 600_000, 5 * 3_600_000, 90 * 86_400_000].map(length => step(length)))
    .toEqual([20, 2_000, 10_000, 30_000, 120_000, 3_600_000, 15 * 86_400_000]);
  for (let length = 1; length < 1e11; length *= 1.37) expect(ticks(length, true).length).toBeLessThanOrEqual(7);
});

it('counts events in tens', () => {
  expect(step(100_000, false)).toBe(20_000);
});
