// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {cutSpans, drawn, spansOf, unixLines} from './colours';
import {withoutColours} from './neutral';
import {contrast, legible, onDark, onLight} from './palette';

const E = '\x1b[';
// Each stretch with what it is drawn with.
const shown = (text: string) => spansOf(text).map(span => [span.text, span.look === null ? '' : drawn(span.look)]);
const classes = (text: string) => spansOf(text).map(span => [span.text, span.look === null ? '' : drawn(span.look).class]);
const number = (hex: string) => parseInt(hex.slice(1), 16);

describe('colours of a terminal', () => {
  it('become stretches of text, and one look is one stretch', () => {
    expect(classes(`a${E}31mred${E}0m b ${E}1;4;92mgood${E}m${E}3mslanted${E}23mup`)).toEqual([
      ['a', ''], ['red', 'ink-1'], [' b ', ''], ['good', 'bold underline ink-10'], ['slanted', 'italic'], ['up', ''],
    ]);
    expect(classes(`${E}31ma${E}31mb${E}0;31mc`)).toEqual([['abc', 'ink-1']]);
    expect(classes(`${E}2mdim${E}22m ${E}7mturned${E}27m`)).toEqual([['dim', 'dim'], [' ', ''], ['turned', 'inverse']]);
    expect(spansOf('plain')).toEqual([{text: 'plain', look: null}]);
    expect(spansOf('')).toEqual([]);
  });

  it('of the palette and of sixteen million are read with semicolons and with colons', () => {
    const looks = [`38;5;208`, `38:5:208`, `38;2;255;135;0`, `38:2:255:135:0`, `38:2::255:135:0`].map(code => shown(`${E}${code}mx`));
    expect(new Set(looks.map(look => JSON.stringify(look))).size).toBe(1);
    expect(classes(`${E}38;5;9mx`)).toEqual([['x', 'ink-9']]);
    expect(classes(`${E}38;5;208;1mx`)).toEqual([['x', 'bold ink']]);
    expect(classes(`${E}58;5;1;3mx`)).toEqual([['x', 'italic']]);
  });

  it('on a ground of their own and turned round have both', () => {
    expect(shown(`${E}30;42mx`)).toEqual([['x', {class: '', style: {color: '#24292f', backgroundColor: '#2da44e'}}]]);
    expect(shown(`${E}31;7mx`)).toEqual(shown(`${E}41mx`));
  });

  it('that nobody knows change nothing', () => {
    for (const code of ['38', '38;5', '38;5;256', '38;9;1', '38;2;1;2', '38:2', '5', '8', '99', '999999999', ':', ';;', '1'.repeat(500)]) {
      expect(classes(`${E}${code}mx`), code).toEqual([['x', '']]);
    }
  });

  it('leave every other sequence in the text', () => {
    for (const other of [`${E}2J`, `${E}?25l`, '\x1b]0;title\x07', '\x1b]8;;http://x\x1b\\', '\x1bc', `${E}31`, `${E}>4;2m`]) {
      expect(spansOf(`a${other}b`).map(span => span.text).join('')).toBe(`a${other}b`);
    }
  });

  it('never change the text, wherever it is cut', () => {
    const text = `one ${E}1;31mtwo\r${E}0m\nthree${E}48;5;17m four\r\n${E}m five`;
    const whole = withoutColours(unixLines(text));
    expect(whole).toBe('one two\nthree four\n five');
    for (let limit = 0; limit <= whole.length; limit += 1) {
      expect(spansOf(unixLines(text), limit).map(span => span.text).join('')).toBe(whole.slice(0, limit));
      const cut = cutSpans(spansOf(unixLines(text)), limit, limit + 3);
      expect(cut.map(span => span.text).join('')).toBe(whole.slice(limit, limit + 3));
    }
  });

  it('are left out where they change too often, and cost no more than the text is long', () => {
    const rainbow = Array.from({length: 5_000}, (_, i) => `${E}38;5;${i % 256}mx`).join('');
    expect(spansOf(rainbow)).toEqual([{text: 'x'.repeat(5_000), look: null}]);
    expect(spansOf(rainbow, 1_000)).toHaveLength(1_000);
    for (const bad of [E.repeat(500_000), `${E}${'1;'.repeat(500_000)}`, `${E}0m`.repeat(300_000), `\r${`${E}m`.repeat(300_000)}`]) {
      expect(spansOf(unixLines(bad)).length).toBeLessThan(2);
    }
  });
});

describe('every colour can be read', () => {
  const looks = (code: string) => spansOf(`${E}${code}mx`).flatMap(span => (span.look ? [drawn(span.look)] : []));

  it('whatever stands on whatever, also the same on the same', () => {
    const poor: string[] = [];
    for (let ink = 0; ink < 256; ink += 1) {
      for (let paper = 0; paper < 256; paper += 5) {
        for (const code of [`38;5;${ink};48;5;${paper}`, `38;5;${ink};48;5;${paper};7`, `38;5;${ink};48;5;${ink};8`]) {
          const style = looks(code)[0]?.style;
          if (!(contrast(number(style?.['color'] ?? ''), number(style?.['backgroundColor'] ?? '')) >= 4.5)) poor.push(code);
        }
      }
    }
    expect(poor).toEqual([]);
  });

  it('on the page itself, in both themes', () => {
    const poor: number[] = [];
    for (let colour = 0; colour <= 0xffffff; colour += 0x010307) {
      for (const ground of [onLight, onDark]) if (!(contrast(legible(colour, ground), ground.paper) >= 4.5)) poor.push(colour);
    }
    expect(poor).toEqual([]);
  });

  it('and so can the sixteen of the style sheet, which stand on the grounds of the page', () => {
    const read = (name: string) => readFileSync(join(import.meta.dirname, '../style', name), 'utf8');
    const base = read('base.css');
    const [light = '', dark = '', ...others] = read('colours.css').split('}').filter(rule => rule.includes('--t0:'));
    expect(others).toHaveLength(1);
    expect(others[0]?.match(/#\w+/g)).toEqual(dark.match(/#\w{6}/g));
    for (const [rule, theme, ground] of [[light, base.indexOf(':root {'), onLight], [dark, base.indexOf(':root[data-theme="dark"]'), onDark]] as const) {
      const grounds = ['ground', 'paper', 'well'].map(name => number(new RegExp(`--${name}: (#\\w{6})`).exec(base.slice(theme))?.[1] ?? ''));
      expect(grounds).toContain(ground.paper);
      const colours = rule.match(/#\w{6}/g) ?? [];
      expect(colours).toHaveLength(16);
      for (const colour of colours) for (const paper of grounds) expect(contrast(number(colour), paper), colour).toBeGreaterThanOrEqual(4.5);
    }
  });
});
