// SPDX-License-Identifier: Apache-2.0
// Round steps along an axis, at most six of them. Time is round in minutes and hours, not in hundreds of seconds.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const long = [10 * second, 15 * second, 30 * second, ...[1, 2, 5, 10, 15, 30].map(n => n * minute), ...[1, 2, 3, 6, 12].map(n => n * hour), day, 2 * day, 7 * day];

// `length` in milliseconds, or a number of events.
export function ticks(length: number, timed: boolean): number[] {
  const rough = length / 6;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const round = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) ?? power;
  const step = timed && rough > 5 * second ? (long.find(n => n >= rough) ?? Math.ceil(rough / day) * day) : round;
  const list: number[] = [];
  for (let at = 0; at <= length; at += step) list.push(at);
  return list;
}
