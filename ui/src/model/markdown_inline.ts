// SPDX-License-Identifier: Apache-2.0
// What stands inside a paragraph: emphasis, code, links. One pass that finds the marks, one that
// pairs them; a mark without a partner is text.

export type Inline =
  | {type: 'text'; text: string}
  | {type: 'code'; text: string}
  | {type: 'break'}
  | {type: 'strong' | 'em' | 'del'; content: Inline[]}
  | {type: 'link'; href: string; content: Inline[]};

// The only addresses a link may have; anything else is shown as text.
export function safeAddress(address: string): string | null {
  const text = address.trim();
  if (!/^(https?:\/\/|mailto:)/i.test(text) || /[\u0000-\u0020\u007f-\u009f<>"`\\]/.test(text)) return null;
  try {
    const url = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

interface Mark {
  sign: string; // *, _, ~
  count: number;
  opens: boolean;
  closes: boolean;
  used: number; // how many of the characters have a partner already
}

type Node = {inline: Inline} | {mark: Mark} | {bracket: boolean};

const punctuation = /[\p{P}\p{S}]/u;
const bareAddress = /https?:\/\/[^\s<>"`\u0000-\u001f]+/y;
const angleAddress = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/iy;
const maxDepth = 24;

class Scanner {
  private at = 0;
  private plain = '';
  private readonly nodes: Node[] = [];
  private readonly opens: number[] = []; // of brackets, as indexes of nodes
  private readonly ticks = new Map<number, number>(); // no run of this length after that place

  constructor(private readonly text: string) {}

  scan(): Node[] {
    while (this.at < this.text.length) this.step(this.text.charAt(this.at));
    this.flush();
    return this.nodes;
  }

  private step(c: string): void {
    if (c === '\\') this.escape();
    else if (c === '`') this.code();
    else if (c === '\n') this.newline();
    else if (c === '*' || c === '_' || c === '~') this.mark(c);
    else if (c === '!' && this.text.charAt(this.at + 1) === '[') this.take(1); // a picture is its text
    else if (c === '[') this.open();
    else if (c === ']') this.close();
    else if (c === '<') this.angle();
    else if (c === 'h' && this.bare()) return;
    else this.take(1);
  }

  private take(length: number): void {
    this.plain += this.text.slice(this.at, this.at + length);
    this.at += length;
  }

  private flush(): void {
    if (this.plain !== '') this.nodes.push({inline: {type: 'text', text: this.plain}});
    this.plain = '';
  }

  private put(inline: Inline): void {
    this.flush();
    this.nodes.push({inline});
  }

  private escape(): void {
    const next = this.text.charAt(this.at + 1);
    if (next === '\n') {
      this.put({type: 'break'});
      this.at += 2;
    } else if (/[!-/:-@[-`{-~]/.test(next)) {
      this.at += 1;
      this.take(1);
    } else {
      this.take(1);
    }
  }

  private newline(): void {
    const hard = this.plain.endsWith('  ');
    this.plain = this.plain.trimEnd();
    if (hard) this.put({type: 'break'});
    else this.plain += '\n';
    this.at += 1;
  }

  private code(): void {
    let length = 1;
    while (this.text.charAt(this.at + length) === '`') length += 1;
    if ((this.ticks.get(length) ?? -1) >= 0) return this.take(length);
    const from = this.at + length;
    for (let at = from; at < this.text.length;) {
      const start = this.text.indexOf('`', at);
      if (start < 0) break;
      let end = start;
      while (this.text.charAt(end) === '`') end += 1;
      if (end - start === length) {
        let inner = this.text.slice(from, start).replaceAll('\n', ' ');
        if (/^ .* $/.test(inner) && inner.trim() !== '') inner = inner.slice(1, -1);
        this.put({type: 'code', text: inner});
        this.at = end;
        return;
      }
      at = end;
    }
    this.ticks.set(length, this.at);
    this.take(length);
  }

  private mark(sign: string): void {
    let count = 1;
    while (this.text.charAt(this.at + count) === sign) count += 1;
    const before = this.at === 0 ? ' ' : this.text.charAt(this.at - 1);
    const after = this.text.charAt(this.at + count) || ' ';
    const spaceBefore = /\s/.test(before);
    const spaceAfter = /\s/.test(after);
    const signBefore = punctuation.test(before);
    const signAfter = punctuation.test(after);
    const left = !spaceAfter && (!signAfter || spaceBefore || signBefore);
    const right = !spaceBefore && (!signBefore || spaceAfter || signAfter);
    let opens = left;
    let closes = right;
    if (sign === '_') {
      opens = left && (!right || signBefore);
      closes = right && (!left || signAfter);
    }
    if (sign === '~' && count !== 2) opens = closes = false;
    if (!opens && !closes) return this.take(count);
    this.flush();
    this.nodes.push({mark: {sign, count, opens, closes, used: 0}});
    this.at += count;
  }

  private open(): void {
    this.flush();
    this.opens.push(this.nodes.length);
    this.nodes.push({bracket: true});
    this.at += 1;
  }

  private close(): void {
    const start = this.opens.pop();
    if (start === undefined) return this.take(1);
    const target = this.destination();
    if (!target) return this.take(1);
    this.flush();
    const inner = this.nodes.splice(start).slice(1);
    const content = pair(inner);
    const href = safeAddress(target.address);
    // What leads nowhere safe is said in full, and leads nowhere.
    if (href !== null) this.nodes.push({inline: {type: 'link', href, content}});
    else this.nodes.push(...content.map(inline => ({inline})), {inline: {type: 'text', text: ` (${target.address})`}});
    this.at = target.end;
    // A link holds no link.
    this.opens.length = 0;
  }

  // `](address "title")`, within reach: an address longer than that is none.
  private destination(): {address: string; end: number} | null {
    if (this.text.charAt(this.at + 1) !== '(') return null;
    const reach = this.text.slice(this.at + 2, this.at + 2 + 4096);
    const found = /^\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/.exec(reach);
    if (!found) return null;
    return {address: found[1] ?? found[2] ?? '', end: this.at + 2 + found[0].length};
  }

  private angle(): void {
    angleAddress.lastIndex = this.at;
    const found = angleAddress.exec(this.text);
    const href = found ? safeAddress(found[1] ?? '') : null;
    if (!found || href === null) return this.take(1);
    this.put({type: 'link', href, content: [{type: 'text', text: found[1] ?? ''}]});
    this.at += found[0].length;
  }

  private bare(): boolean {
    const before = this.at === 0 ? ' ' : this.text.charAt(this.at - 1);
    if (/[\p{L}\p{N}]/u.test(before)) return false;
    bareAddress.lastIndex = this.at;
    const found = bareAddress.exec(this.text);
    if (!found) return false;
    let address = found[0].slice(0, 2048).replace(/[.,;:!?'*_~\]]+$/, '');
    while (address.endsWith(')') && address.split(')').length > address.split('(').length) address = address.slice(0, -1);
    const href = safeAddress(address);
    if (href === null) return false;
    this.put({type: 'link', href, content: [{type: 'text', text: address}]});
    this.at += address.length;
    return true;
  }
}

// Pairs the marks with a stack: each closer takes the nearest opener of its sign.
function pair(nodes: Node[]): Inline[] {
  interface Frame {
    mark: Mark | null;
    content: Inline[];
  }
  const stack: Frame[] = [{mark: null, content: []}];
  const top = () => stack[stack.length - 1] as Frame;
  const text = (value: string) => {
    if (value !== '') top().content.push({type: 'text', text: value});
  };
  const collapse = (depth: number) => {
    while (stack.length > depth) {
      const frame = stack.pop() as Frame;
      const left = frame.mark ? frame.mark.sign.repeat(frame.mark.count) : '';
      text(left);
      top().content.push(...frame.content);
    }
  };
  for (const node of nodes) {
    if ('inline' in node) top().content.push(node.inline);
    else if ('bracket' in node) text('[');
    else {
      const {mark} = node;
      if (mark.closes) closeMark(stack, mark, collapse);
      if (mark.count > 0 && mark.opens && stack.length < maxDepth) stack.push({mark, content: []});
      else if (mark.count > 0) text(mark.sign.repeat(mark.count));
    }
  }
  collapse(1);
  return top().content;

  function closeMark(frames: Frame[], mark: Mark, drop: (depth: number) => void): void {
    while (mark.count > 0) {
      let depth = frames.length - 1;
      while (depth > 0 && frames[depth]?.mark?.sign !== mark.sign) depth -= 1;
      if (depth === 0) return;
      drop(depth + 1);
      const frame = frames.pop() as Frame;
      const opener = frame.mark as Mark;
      const width = mark.sign === '~' || (opener.count >= 2 && mark.count >= 2) ? 2 : 1;
      const type = mark.sign === '~' ? 'del' : width === 2 ? 'strong' : 'em';
      const made: Inline = {type, content: frame.content};
      opener.count -= width;
      mark.count -= width;
      if (opener.count > 0) frames.push({mark: opener, content: [made]});
      else (frames[frames.length - 1] as Frame).content.push(made);
    }
  }
}

export function inlines(text: string): Inline[] {
  return pair(new Scanner(text).scan());
}
