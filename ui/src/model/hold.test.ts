// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {Hold} from './hold';

// A page of 9,000 pixels in a window of 1,000: how far its end is below what is seen at `y`.
const below = (y: number) => 8_000 - y;

it('is let go by a reader who moves up, if only by a little', () => {
  const hold = new Hold();
  hold.putToEnd(8_000);
  expect([8_000, 7_990].map(y => hold.letsGo(y, below(y)))).toEqual([false, true]);
});

it('does not take for the reader what moved the page before it followed', () => {
  const hold = new Hold();
  hold.moved(5_000); // the reader is far down, and is led to the first event
  expect(hold.letsGo(0, below(0))).toBe(false); // then to the newest one, before that move was noticed
  hold.putToEnd(8_000);
  expect(hold.letsGo(8_000, 0)).toBe(false);
});

it('begins anew when the page follows again', () => {
  const hold = new Hold();
  hold.putToEnd(8_000);
  hold.release();
  expect(hold.moved(100)).toBe(true);
  hold.moved(6_000);
  expect(hold.letsGo(50, below(50))).toBe(false);
});

it('does not take for the reader a page that has become shorter', () => {
  const hold = new Hold();
  hold.putToEnd(8_000);
  expect(hold.letsGo(5_000, 0)).toBe(false);
});
