// SPDX-License-Identifier: Apache-2.0
// What a program prints for a terminal, as stretches of text with a look (ECMA-48 SGR). It is values,
// not markup. Every other control sequence stays in the text, where it is made visible; a look ends with
// its text. One pass, for the text is hostile.
import {withoutColours} from './neutral';
import {hex, inkOn, legible, onDark, onLight, paletteColour} from './palette';

// null: the page's own; 0 to 255: of the palette; above: 256 + 0xrrggbb.
type Colour = number | null;

export interface Look {
  ink: Colour;
  paper: Colour;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

export interface Span {
  text: string;
  look: Look | null; // null: like the text around it
}

const plain: Look = {ink: null, paper: null, bold: false, dim: false, italic: false, underline: false, inverse: false};
const maxSpans = 2_000; // of one text; one that changes its colours more often is shown without them
const longest = 128; // characters of a sequence that says something

// 38;5;N, 38;2;R;G;B, and the same with colons, where a colour space may stand before R. How many
// parameters it took is told, for what follows them is another matter.
function extended(first: string, rest: string[]): {colour: Colour | undefined; took: number} {
  const inside = first.split(':').slice(1);
  const colons = inside.length > 0;
  const [kind, ...values] = (colons ? inside : rest.slice(0, 4)).map(Number);
  if (kind === 5) return {colour: byte(values[0]) ? values[0] : undefined, took: colons ? 0 : 2};
  if (kind !== 2) return {colour: undefined, took: colons ? 0 : rest.length};
  const [r, g, b] = colons && values.length > 3 ? values.slice(1) : values;
  return {colour: byte(r) && byte(g) && byte(b) ? 256 + ((r << 16) | (g << 8) | b) : undefined, took: colons ? 0 : 4};
}

function byte(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= 255;
}

// "Conceal" is not among them: nothing hides text here.
const switches: Record<number, Partial<Look>> = {
  0: plain, 1: {bold: true}, 2: {dim: true}, 3: {italic: true}, 4: {underline: true}, 7: {inverse: true}, 21: {underline: true},
  22: {bold: false, dim: false}, 23: {italic: false}, 24: {underline: false}, 27: {inverse: false}, 39: {ink: null}, 49: {paper: null},
};

function changed(look: Look, parameters: string): Look {
  if (parameters.length > longest) return look;
  const list = parameters.split(';');
  let next = look;
  for (let i = 0; i < list.length; i += 1) {
    const first = list[i] ?? '';
    const code = parseInt(first || '0', 10);
    if (code === 38 || code === 48 || code === 58) {
      const {colour, took} = extended(first, list.slice(i + 1));
      i += took;
      if (colour !== undefined && code !== 58) next = {...next, [code === 38 ? 'ink' : 'paper']: colour};
    } else if (code >= 30 && code <= 37) next = {...next, ink: code - 30};
    else if (code >= 40 && code <= 47) next = {...next, paper: code - 40};
    else if (code >= 90 && code <= 97) next = {...next, ink: code - 82};
    else if (code >= 100 && code <= 107) next = {...next, paper: code - 92};
    else next = {...next, ...(first === '4:0' ? {underline: false} : switches[code])};
  }
  return next;
}

function keyOf(look: Look): string {
  return Object.values(look).join();
}

// A line that ends with CR LF ends so in colour, too. To be done before anything is counted.
export function unixLines(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.includes('\r') ? text.replace(/\r((?:\x1b\[[0-9;:]*m)*)\n/g, '$1\n') : text;
}

// The first `limit` characters, counted without the sequences.
export function spansOf(text: string, limit = Infinity): Span[] {
  // eslint-disable-next-line no-control-regex
  const sequence = /\x1b\[([0-9;:]*)m/g;
  const spans: Span[] = [];
  let look = plain;
  let key = keyOf(plain);
  let lastKey = '';
  let left = limit;
  const take = (from: number, to: number) => {
    const piece = text.slice(from, Math.min(to, from + left));
    if (piece === '') return;
    left -= piece.length;
    const last = spans[spans.length - 1];
    if (last && lastKey === key) last.text += piece;
    else spans.push({text: piece, look: key === plainKey ? null : look});
    lastKey = key;
  };
  let at = 0;
  for (let found = sequence.exec(text); found && left > 0; found = sequence.exec(text)) {
    take(at, found.index);
    at = sequence.lastIndex;
    look = changed(look, found[1] ?? '');
    key = keyOf(look);
    if (spans.length > maxSpans) return [{text: withoutColours(text).slice(0, limit), look: null}];
  }
  take(at, text.length);
  return spans;
}
const plainKey = keyOf(plain);

// Between two places of the text.
export function cutSpans(spans: Span[], from: number, to: number): Span[] {
  const cut: Span[] = [];
  let at = 0;
  for (const {text, look} of spans) {
    const piece = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (piece !== '') cut.push({text: piece, look});
    at += text.length;
  }
  return cut;
}

export interface Drawn {
  class: string;
  style: Record<string, string> | undefined; // set by script, property by property
}

function rgbOf(colour: number): number {
  return colour < 256 ? paletteColour(colour) : colour - 256;
}

// Sixteen colours have classes, which each theme gives its own shade. Others carry a shade for either
// theme. On a ground of its own a text has the same colours in both.
export function drawn(look: Look): Drawn {
  const {bold, dim, italic, underline, inverse} = look;
  const names = [bold && 'bold', italic && 'italic', underline && 'underline'].filter(Boolean);
  const [ink, paper] = inverse ? [look.paper, look.ink] : [look.ink, look.paper];
  let style: Drawn['style'];
  if (paper !== null) {
    const ground = rgbOf(paper);
    style = {color: hex(inkOn(ground, ink === null ? null : rgbOf(ink))), backgroundColor: hex(ground)};
  } else if (inverse) {
    names.push('inverse');
  } else if (ink !== null && ink < 16) {
    names.push(`ink-${ink}`);
  } else if (ink !== null) {
    names.push('ink');
    style = {'--on-light': hex(legible(rgbOf(ink), onLight)), '--on-dark': hex(legible(rgbOf(ink), onDark))};
  } else if (dim) {
    names.push('dim'); // of a colour there is no dimmer shade that could be read
  }
  return {class: names.join(' '), style};
}
