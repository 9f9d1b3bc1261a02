// SPDX-License-Identifier: Apache-2.0
// Colours of a terminal that can be read on this page. A program chose them for its own background:
// whatever it chose, words stand out from ours, and none can be hidden (WCAG AA, 4.5 to 1).

// A colour is a number, 0xrrggbb.
type Ground = {paper: number; towards: number};

// The grounds that output stands on (style/base.css), and where to a colour has to go to be read there.
export const onLight: Ground = {paper: 0xf1f2f5, towards: 0x000000};
export const onDark: Ground = {paper: 0x1d2129, towards: 0xffffff};
const enough = 4.5;

// The sixteen that have a name, as they look behind words. As words they have classes of their own.
const named = [
  0x24292f, 0xcf222e, 0x2da44e, 0xbf8700, 0x0969da, 0x8250df, 0x1b7c83, 0xd0d7de,
  0x6e7781, 0xff8182, 0x6fdd8b, 0xeac54f, 0x80ccff, 0xd8b9ff, 0x76e3ea, 0xffffff,
];

// Of the 256: the sixteen, a cube of 6 by 6 by 6, and greys.
export function paletteColour(index: number): number {
  if (index < 16) return named[index] ?? 0;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const at = index - 16;
  return (level(Math.floor(at / 36)) << 16) | (level(Math.floor(at / 6) % 6) << 8) | level(at % 6);
}

function channels(colour: number): [number, number, number] {
  return [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
}

function luminance(colour: number): number {
  const [r, g, b] = channels(colour).map(value => (value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: number, other: number): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function mixed(from: number, to: number, share: number): number {
  const goal = channels(to);
  const [r, g, b] = channels(from).map((value, i) => Math.round(value + ((goal[i] ?? 0) - value) * share)) as [number, number, number];
  return (r << 16) | (g << 8) | b;
}

// The colour, or the nearest of its shades that can be read.
export function legible(colour: number, ground: Ground): number {
  for (let step = 0; step < 16; step += 1) {
    const shade = mixed(colour, ground.towards, step / 16);
    if (contrast(shade, ground.paper) >= enough) return shade;
  }
  return ground.towards;
}

// For words on a coloured ground: their own colour if it can be read there.
export function inkOn(paper: number, wanted: number | null): number {
  if (wanted !== null && contrast(wanted, paper) >= enough) return wanted;
  return contrast(0xffffff, paper) >= contrast(0x000000, paper) ? 0xffffff : 0x000000;
}

export function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
