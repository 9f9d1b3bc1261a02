// SPDX-License-Identifier: Apache-2.0
// The blocks of an agent's Markdown as a tree of plain values. Nothing of it is markup: the page
// builds its own nodes from the tree (parts/markdown.tsx). Raw HTML stays text. Every pass over the
// text is linear, for the text is hostile.
import {type Inline, inlines} from './markdown_inline';

export type Align = 'left' | 'center' | 'right' | undefined;

export interface ListItem {
  checked: boolean | undefined; // of a task list
  blocks: MdBlock[];
}

export type MdBlock =
  | {type: 'paragraph'; content: Inline[]}
  | {type: 'heading'; level: number; content: Inline[]}
  | {type: 'code'; info: string; text: string}
  | {type: 'quote'; blocks: MdBlock[]}
  | {type: 'list'; ordered: boolean; start: number; tight: boolean; items: ListItem[]}
  | {type: 'table'; align: Align[]; head: Inline[][]; rows: Inline[][][]}
  | {type: 'rule'};

const maxDepth = 12;
const maxTableCells = 4000;

// None of these can be made to look twice at the same characters.
const fenceStart = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;
const heading = /^ {0,3}(#{1,6})(?: (.*))?$/;
const rule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const quote = /^ {0,3}> ?/;
const bullet = /^( {0,3})([-*+])([ \t]+|$)/;
const numbered = /^( {0,3})(\d{1,9})([.)])([ \t]+|$)/;
const delimiterCell = /^:?-+:?$/;

function blank(line: string): boolean {
  return line.trim() === '';
}

function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at += 1;
  return at;
}

interface Marker {
  ordered: boolean;
  kind: string; // the bullet or the delimiter: another one starts another list
  start: number;
  width: number; // where the item's text begins
  rest: string;
}

function markerOf(line: string): Marker | null {
  const plain = bullet.exec(line);
  if (plain) {
    if (rule.test(line)) return null;
    return marker(line, plain[0], plain[1] ?? '', plain[2] ?? '', plain[3] ?? '', 0);
  }
  const count = numbered.exec(line);
  if (!count) return null;
  const digits = count[2] ?? '';
  return marker(line, count[0], count[1] ?? '', digits + (count[3] ?? ''), count[4] ?? '', Number(digits));
}

function marker(line: string, whole: string, indent: string, sign: string, gap: string, start: number): Marker {
  const ordered = sign.length > 1;
  // Five blanks and more belong to an indented code block.
  const wide = gap.length > 4 || gap === '' ? 1 : gap.length;
  const width = indent.length + sign.length + wide;
  const rest = gap === '' ? '' : line.slice(Math.min(whole.length, width));
  return {ordered, kind: sign.slice(-1), start, width, rest};
}

function startsBlock(line: string): boolean {
  return fenceStart.test(line) || heading.test(line) || rule.test(line) || quote.test(line);
}

function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  const text = line.trim();
  for (let i = text.startsWith('|') ? 1 : 0; i < text.length; i += 1) {
    const c = text.charAt(i);
    if (c === '\\' && text.charAt(i + 1) === '|') {
      cell += '|';
      i += 1;
    } else if (c === '|') {
      cells.push(cell.trim());
      cell = '';
    } else {
      cell += c;
    }
  }
  if (cell.trim() !== '') cells.push(cell.trim());
  return cells;
}

// The line below a table's head: |---|:-:|
function delimiters(line: string): string[] | null {
  if (!line.includes('-') || !/^[ |:-]+$/.test(line)) return null;
  const cells = cellsOf(line);
  return cells.length > 0 && cells.every(cell => delimiterCell.test(cell)) ? cells : null;
}

// Without the closing signs of `## Title ##`.
function titleOf(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed.charAt(end - 1) === '#') end -= 1;
  return end === 0 || trimmed.charAt(end - 1) === ' ' ? trimmed.slice(0, end).trimEnd() : trimmed;
}

class Reader {
  private at = 0;
  private readonly blocks: MdBlock[] = [];

  constructor(
    private readonly lines: string[],
    private readonly depth: number,
  ) {}

  read(): MdBlock[] {
    while (this.at < this.lines.length) {
      const line = this.line();
      if (blank(line)) this.at += 1;
      else if (!this.fence(line) && !this.indented(line) && !this.head(line) && !this.ruleLine(line) &&
               !this.quoted(line) && !this.list(line) && !this.table(line)) {
        this.paragraph();
      }
    }
    return this.blocks;
  }

  private line(at = this.at): string {
    return this.lines[at] ?? '';
  }

  private fence(line: string): boolean {
    const open = fenceStart.exec(line);
    if (!open) return false;
    const sign = open[1] ?? '```';
    const indent = indentOf(line);
    const text: string[] = [];
    this.at += 1;
    for (; this.at < this.lines.length; this.at += 1) {
      const inner = this.line();
      const close = inner.trim();
      if (close.length >= sign.length && indentOf(inner) < 4 && close === sign.charAt(0).repeat(close.length)) {
        this.at += 1;
        break;
      }
      text.push(inner.slice(Math.min(indent, indentOf(inner))));
    }
    this.blocks.push({type: 'code', info: (open[2] ?? '').trim(), text: text.join('\n')});
    return true;
  }

  private indented(line: string): boolean {
    if (indentOf(line) < 4) return false;
    const text: string[] = [];
    while (this.at < this.lines.length && (indentOf(this.line()) >= 4 || blank(this.line()))) {
      text.push(this.line().slice(4));
      this.at += 1;
    }
    while (text.length > 0 && blank(text[text.length - 1] ?? '')) text.pop();
    this.blocks.push({type: 'code', info: '', text: text.join('\n')});
    return true;
  }

  private head(line: string): boolean {
    const found = heading.exec(line);
    if (!found) return false;
    this.blocks.push({type: 'heading', level: (found[1] ?? '#').length, content: inlines(titleOf(found[2] ?? ''))});
    this.at += 1;
    return true;
  }

  private ruleLine(line: string): boolean {
    if (!rule.test(line)) return false;
    this.blocks.push({type: 'rule'});
    this.at += 1;
    return true;
  }

  private quoted(line: string): boolean {
    if (!quote.test(line)) return false;
    const inner: string[] = [];
    let lazy = false; // a line without the sign goes on with a paragraph
    while (this.at < this.lines.length) {
      const next = this.line();
      if (quote.test(next)) {
        inner.push(next.replace(quote, ''));
        lazy = !blank(inner[inner.length - 1] ?? '');
      } else if (lazy && !blank(next) && !startsBlock(next) && !markerOf(next)) {
        inner.push(next);
      } else {
        break;
      }
      this.at += 1;
    }
    this.blocks.push({type: 'quote', blocks: parseLines(inner, this.depth + 1)});
    return true;
  }

  private list(line: string): boolean {
    const first = markerOf(line);
    if (!first || this.depth >= maxDepth) return false;
    const items: ListItem[] = [];
    let tight = true;
    for (let found: Marker | null = first; found && found.kind === first.kind && found.ordered === first.ordered;) {
      const inner = [found.rest];
      this.at += 1;
      let gap = false;
      while (this.at < this.lines.length) {
        const next = this.line();
        if (blank(next)) {
          gap = true;
          inner.push('');
        } else if (indentOf(next) >= found.width) {
          if (gap) tight = false;
          gap = false;
          inner.push(next.slice(found.width));
        } else if (!gap && !startsBlock(next) && !markerOf(next)) {
          inner.push(next.trimStart());
        } else {
          break;
        }
        this.at += 1;
      }
      items.push(itemOf(inner, this.depth + 1));
      found = this.at < this.lines.length ? markerOf(this.line()) : null;
      if (found && gap) tight = false;
    }
    this.blocks.push({type: 'list', ordered: first.ordered, start: first.start, tight, items});
    return true;
  }

  private table(line: string): boolean {
    if (!line.includes('|')) return false;
    const signs = delimiters(this.line(this.at + 1));
    const head = cellsOf(line);
    if (!signs || head.length !== signs.length) return false;
    const align = signs.map((sign): Align => {
      const left = sign.startsWith(':');
      const right = sign.endsWith(':');
      return left && right ? 'center' : right ? 'right' : left ? 'left' : undefined;
    });
    const rows: Inline[][][] = [];
    this.at += 2;
    while (this.at < this.lines.length && !blank(this.line()) && !startsBlock(this.line())) {
      if ((rows.length + 1) * head.length > maxTableCells) break;
      const cells = cellsOf(this.line());
      rows.push(head.map((_, column) => inlines(cells[column] ?? '')));
      this.at += 1;
    }
    this.blocks.push({type: 'table', align, head: head.map(cell => inlines(cell)), rows});
    return true;
  }

  private paragraph(): void {
    const text: string[] = [];
    let level = 0;
    while (this.at < this.lines.length) {
      const next = this.line();
      if (text.length > 0) {
        const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(next);
        if (under) {
          level = (under[1] ?? '').startsWith('=') ? 1 : 2;
          this.at += 1;
          break;
        }
        const item = markerOf(next);
        if (blank(next) || startsBlock(next) || (item && item.rest !== '' && (!item.ordered || item.start === 1))) break;
        if (next.includes('|') && delimiters(this.line(this.at + 1))) break;
      }
      text.push(next.trimStart());
      this.at += 1;
    }
    const content = inlines(text.join('\n').trimEnd());
    this.blocks.push(level > 0 ? {type: 'heading', level, content} : {type: 'paragraph', content});
  }
}

function itemOf(lines: string[], depth: number): ListItem {
  const box = /^\[([ xX])\][ \t]+/.exec(lines[0] ?? '');
  if (box) lines[0] = (lines[0] ?? '').slice(box[0].length);
  return {checked: box ? box[1] !== ' ' : undefined, blocks: parseLines(lines, depth)};
}

function parseLines(lines: string[], depth: number): MdBlock[] {
  if (depth > maxDepth) return [{type: 'code', info: '', text: lines.join('\n')}];
  return new Reader(lines, depth).read();
}

export function parseMarkdown(text: string): MdBlock[] {
  return parseLines(text.replaceAll('\t', '    ').split('\n'), 0);
}

// Where a long text is best cut: at an empty line outside a fence, near `limit`. The tail opens the
// fence again that the cut went through.
export function cutMarkdown(text: string, limit: number): [head: string, tail: string] {
  let fence = '';
  let opener = '';
  let best = 0;
  let last = 0;
  for (let at = 0; at < limit;) {
    const end = text.indexOf('\n', at);
    if (end < 0 || end >= limit) break;
    const line = text.slice(at, end);
    const sign = fenceStart.exec(line);
    if (fence === '' && sign) {
      fence = sign[1] ?? '';
      opener = line;
    } else if (fence !== '' && line.trim().startsWith(fence) && line.trim().replaceAll(fence.charAt(0), '') === '') {
      fence = '';
    } else if (fence === '' && line.trim() === '') {
      best = end + 1;
    }
    at = end + 1;
    last = at;
  }
  if (best > limit / 2) return [text.slice(0, best), text.slice(best)];
  let cut = last > 0 ? last : limit;
  const code = text.charCodeAt(cut - 1);
  if (code >= 0xd800 && code < 0xdc00) cut -= 1;
  // An opener of absurd length is not said again: every piece has to be shorter than the whole.
  const again = fence === '' || opener.length > limit / 4 ? '' : `${opener}\n`;
  if (again.length >= cut) cut = limit;
  return [text.slice(0, cut), again + text.slice(cut)];
}
