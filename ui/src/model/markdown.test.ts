// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import {type MdBlock, cutMarkdown, parseMarkdown} from './markdown';
import {type Inline, safeAddress} from './markdown_inline';
import {neutral} from './neutral';

// The tree in one line: p[…] h1[…] *em* …
function inline(nodes: Inline[]): string {
  return nodes.map(n => {
    switch (n.type) {
      case 'text': return n.text;
      case 'code': return `C(${n.text})`;
      case 'break': return '⏎';
      case 'link': return `L(${n.href}|${inline(n.content)})`;
      default: return `${n.type}(${inline(n.content)})`;
    }
  }).join('');
}
function shape(blocks: MdBlock[]): string {
  return blocks.map(b => {
    switch (b.type) {
      case 'paragraph': return `p[${inline(b.content)}]`;
      case 'heading': return `h${b.level}[${inline(b.content)}]`;
      case 'code': return `code(${b.info})[${b.text}]`;
      case 'quote': return `q[${shape(b.blocks)}]`;
      case 'list': return `${b.ordered ? `ol${b.start}` : 'ul'}[${b.items.map(i => `${i.checked === undefined ? '' : i.checked ? '☑' : '☐'}${shape(i.blocks)}`).join(',')}]`;
      case 'table': return `table[${b.head.map(inline).join('|')}/${b.rows.map(r => r.map(inline).join('|')).join('/')}]`;
      case 'rule': return 'hr';
    }
  }).join(' ');
}

describe('Markdown', () => {
  const cases: [string, string][] = [
    ['one\ntwo', 'p[one\ntwo]'],
    ['one  \ntwo', 'p[one⏎two]'],
    ['# A #\n\ntext', 'h1[A] p[text]'],
    ['Title\n===', 'h1[Title]'],
    ['a **b** *c* ~~d~~ `e`', 'p[a strong(b) em(c) del(d) C(e)]'],
    ['***both***', 'p[em(strong(both))]'],
    ['snake_case_name and 2 * 3 * 4', 'p[snake_case_name and 2 * 3 * 4]'],
    ['**open', 'p[**open]'],
    ['```js\nlet a = `x`;\n```\nafter', 'code(js)[let a = `x`;] p[after]'],
    ['```\nnever closed', 'code()[never closed]'],
    ['- a\n- b\n  - c\n\n    d', 'ul[p[a],p[b] ul[p[c] p[d]]]'],
    ['3. x\n4. y', 'ol3[p[x],p[y]]'],
    ['- [x] done\n- [ ] open', 'ul[☑p[done],☐p[open]]'],
    ['> q\n> > r', 'q[p[q] q[p[r]]]'],
    ['| a | b |\n|---|:-:|\n| 1 | `x\\|y` |', 'table[a|b/1|C(x|y)]'],
    ['---', 'hr'],
    ['<b onclick=alert(1)>x</b>', 'p[<b onclick=alert(1)>x</b>]'],
    ['[t](https://example.org/a_(b))', 'p[L(https://example.org/a_(b)|t)]'],
    ['[t](javascript:alert(1))', 'p[t (javascript:alert(1))]'],
    ['![p](https://example.org/x.png)', 'p[!L(https://example.org/x.png|p)]'],
    ['see https://example.org/a.', 'p[see L(https://example.org/a|https://example.org/a).]'],
    ['<https://example.org>', 'p[L(https://example.org/|https://example.org)]'],
    ['a\\*b\\*', 'p[a*b*]'],
    ['[a] [b', 'p[[a] [b]'],
  ];
  it.each(cases)('%j', (text, tree) => expect(shape(parseMarkdown(text))).toBe(tree));

  it('takes hostile text in linear time', () => {
    const families = ['[', '*a ', '**', '`', '``` ', '> ', '- ', '[](', '|', '<', 'http://[', '_a', '~~', '# ', ' ', '1. ', '\n> - ', '| - |\n', '```' + ' '.repeat(99) + '`\n'];
    for (const family of families) {
      const text = family.repeat(Math.ceil(12_000 / family.length));
      const started = performance.now();
      parseMarkdown(text);
      expect([family, performance.now() - started < 1500]).toEqual([family, true]);
    }
  });

  it('cuts between paragraphs, and opens a fence again that it cuts', () => {
    const [head, tail] = cutMarkdown('one\n\ntwo\n\nthree three three', 12);
    expect([head, tail]).toEqual(['one\n\ntwo\n\n', 'three three three']);
    const [front, back] = cutMarkdown('```c\n' + 'x;\n'.repeat(20) + '```\n', 40);
    expect(shape(parseMarkdown(front)).startsWith('code(c)[x;')).toBe(true);
    expect(back.startsWith('```c\nx;')).toBe(true);
  });
});

describe('a cut', () => {
  it('always leaves less than there was', () => {
    for (const opener of ['```', '```' + 'i'.repeat(90), '```' + 'i'.repeat(300), '`'.repeat(300), '~'.repeat(99)]) {
      for (let text = `${opener}\n${'x'.repeat(700)}`, n = 0; text.length > 100; n += 1) {
        const [head, tail] = cutMarkdown(text, 100);
        expect([opener, n < 900, head.length > 0, tail.length < text.length]).toEqual([opener, true, true, true]);
        text = tail;
      }
    }
  });
});

describe('an address', () => {
  it.each([
    ['https://example.org', 'https://example.org/'], ['mailto:a@example.org', 'mailto:a@example.org'], ['javascript:alert(1)', null],
    ['data:text/html,x', null], ['//example.org', null], ['/runs', null], ['https://a b', null], ['java\nscript:x', null], ['vbscript:x', null],
    ['HTTPS://EXAMPLE.org/', 'https://example.org/'],
  ])('%j', (address, safe) => expect(safeAddress(address)).toBe(safe));
});

describe('neutral text', () => {
  it.each([
    ['plain', 'plain'], ['a\x1b[2Jb', 'a␛[2Jb'], ['a\u202eb', 'a\\u{202e}b'], ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['👩\u200d💻', '👩\u200d💻'], ['a\u200db', 'a\\u{200d}b'], ['line\r\nline\ttab', 'line\nline\ttab'], ['bell\x07', 'bell␇'], ['❤\ufe0f', '❤\ufe0f'],
  ])('%j', (text, shown) => expect(neutral(text)).toBe(shown));
});
