// SPDX-License-Identifier: Apache-2.0
// A fold over the events of one run: the blocks of its page, and the figures beside them. The same
// events give the same story. What it keeps is bounded, however long the run.
import type {Block, CardBlock, Manner, NotesBlock, Progress, Span, StatusBlock, TextBlock, Thread, ToolBlock} from './blocks';
import {EchoFilter} from './echo';
import type {CanonicalEvent, EventOf, FileChange, Payloads} from './event';
import {cutMarkdown} from './markdown';
import {headOf} from './neutral';
import {SaidMessage} from './said';
import {UsageFold} from './usage';
import {momentWords} from './words';

const maxText = 12_000; // characters of one text block
const maxPrinted = 4_000; // of one that is a program's output
const maxInside = 400; // blocks of one subagent
const maxFiles = 2_000;
const maxSpans = 1_200;
const maxTools = 4_096;
const maxReports = 20;

// Blocks of two stories may stand on one page.
let keys = 0;

export interface StoryOptions {
  maxBlocks?: number;
}

export class Story {
  readonly root: Thread = {blocks: [], dropped: 0, owner: null};
  readonly usage = new UsageFold();
  readonly files = new Map<string, FileChange & {claimed: boolean}>();
  readonly tests: EventOf<'test_results'>[] = [];
  readonly lint: EventOf<'lint_warnings'>[] = [];
  readonly answered = new Map<string, Payloads['question']>();
  spans: Span[] = [];
  progress: Progress | null = null;
  activity = '';
  command: Payloads['command_started'] | null = null;
  session: Payloads['session_started'] | null = null;
  finished: Payloads['finished'] | null = null;
  nextActions: Payloads['next_action'][] = [];
  commit: Payloads['commit_suggestion'] | null = null;
  blocked = ''; // why it cannot go on
  firstSeq = 0; // 0: nothing yet
  lastSeq = 0;
  begun: number | null = null;
  ended: number | null = null;
  timed = true; // false: some event came without a time, spans count events instead
  toolCount = 0;
  version = 0;

  private readonly tools = new Map<string, ToolBlock>();
  private readonly openSpans = new Map<string, Span>();
  private readonly echo = new EchoFilter();
  private readonly said = new SaidMessage();
  private limited = false; // it waits for a limit
  private markdown = false; // a marker was seen that stands in Markdown
  private readonly maxBlocks: number;

  constructor(options: StoryOptions = {}) {
    this.maxBlocks = options.maxBlocks ?? 3_000;
  }

  // Events come in the order of their numbers; one that is known already is left out.
  add(event: CanonicalEvent, seq = event.seq ?? this.lastSeq + 1): void {
    if (seq <= this.lastSeq) return;
    if (this.firstSeq === 0) this.firstSeq = seq;
    this.lastSeq = seq;
    this.version += 1;
    const at = this.clock(event, seq);
    if (!this.markdown && surroundsMarkdown(event)) this.readAsMarkdown();
    this.said.add(event);
    if (this.limited && (event.kind === 'text' || event.kind === 'thinking' || event.kind.startsWith('tool_'))) {
      this.limited = false; // it goes on
      this.activity = '';
      this.closeSpan('limit', seq, at, 'wait');
    }
    const thread = this.threadOf(event.origin.parent);
    if (event.kind === 'text' || event.kind === 'thinking') {
      this.say(event, thread, seq, at);
      return;
    }
    if (event.kind !== 'usage') this.endSpeech(thread, seq, at);
    this.place(event, thread, seq, at);
    if (event.kind !== 'usage') this.echo.expect(event);
  }

  // Drops the oldest blocks when there are too many.
  trim(): void {
    const {blocks} = this.root;
    if (blocks.length <= this.maxBlocks + this.maxBlocks / 4) return;
    const gone = blocks.splice(0, blocks.length - this.maxBlocks);
    this.root.dropped += gone.length;
    this.firstSeq = blocks[0]?.seq ?? this.firstSeq;
  }

  // Puts an earlier stretch of the same run in front. A tool that it left open has ended here.
  prepend(earlier: Story): void {
    for (const [id, tool] of earlier.tools) {
      const end = tool.result ? undefined : this.root.blocks.find(b => b.type === 'tool' && !b.call && b.result?.id === id);
      if (end?.type !== 'tool') continue;
      tool.result = end.result;
      tool.end = end.end;
      tool.duration = end.result?.duration_ms ?? (end.at !== null && tool.at !== null ? end.at - tool.at : null);
      this.root.blocks.splice(this.root.blocks.indexOf(end), 1);
      earlier.endTool(id, end.result?.outcome === 'ok', end.end, end.at);
    }
    this.root.blocks.unshift(...earlier.root.blocks);
    if (earlier.markdown || this.markdown) this.readAsMarkdown();
    this.root.dropped = Math.max(0, this.root.dropped - earlier.root.blocks.length);
    this.spans = [...earlier.spans, ...this.spans].slice(-maxSpans);
    for (const [path, file] of earlier.files) if (!this.files.has(path)) this.files.set(path, file);
    this.tests.unshift(...earlier.tests.slice(Math.max(0, earlier.tests.length + this.tests.length - maxReports)));
    this.lint.unshift(...earlier.lint.slice(Math.max(0, earlier.lint.length + this.lint.length - maxReports)));
    this.commit ??= earlier.commit;
    this.toolCount += earlier.toolCount;
    this.command ??= earlier.command;
    this.session ??= earlier.session;
    this.progress ??= earlier.progress;
    this.blocked ||= earlier.blocked;
    this.firstSeq = earlier.firstSeq || this.firstSeq;
    if (this.timed === earlier.timed) this.begun = earlier.begun ?? this.begun;
    this.version += 1;
  }

  // The lines around such a marker are Markdown, also those that came before it.
  private readAsMarkdown(): void {
    this.markdown = true;
    for (const block of this.root.blocks) {
      if (block.type !== 'text' || block.manner !== 'printed') continue;
      block.manner = 'markdown';
      block.version += 1;
    }
  }

  private clock(event: CanonicalEvent, seq: number): number | null {
    const at = event.ts === undefined ? NaN : Date.parse(event.ts);
    if (Number.isNaN(at)) {
      if (this.timed && this.begun === null) this.timed = false;
      if (!this.timed) {
        this.begun ??= seq;
        this.ended = seq;
      }
      return null;
    }
    if (this.timed) {
      this.begun ??= at;
      this.ended = at;
    }
    return at;
  }

  private when(seq: number, at: number | null): number {
    return this.timed ? (at ?? this.ended ?? 0) : seq;
  }

  private threadOf(parent: string | undefined): Thread {
    if (parent === undefined) return this.root;
    const tool = this.tools.get(parent);
    if (!tool) return this.root;
    tool.inside ??= {blocks: [], dropped: 0, owner: tool};
    return tool.inside;
  }

  private touch(block: Block, thread: Thread): void {
    for (let one: Block | null = block, owner = thread.owner; one; one = owner, owner = owner?.owner.owner ?? null) {
      one.version += 1;
      one.end = this.lastSeq;
    }
  }

  private push<B extends Block>(thread: Thread, block: B): B {
    thread.blocks.push(block);
    if (thread.owner) {
      if (thread.blocks.length > maxInside) {
        thread.blocks.shift();
        thread.dropped += 1;
      }
      this.touch(thread.owner, thread.owner.owner);
    }
    return block;
  }

  private base(seq: number, at: number | null) {
    keys += 1;
    return {key: keys, seq, end: seq, at, version: 0};
  }

  private say(event: EventOf<'text'> | EventOf<'thinking'>, thread: Thread, seq: number, at: number | null): void {
    const manner = mannerOf(event as CanonicalEvent, this.markdown);
    let words = event.data.text ?? '';
    let block: number | undefined;
    if (manner === 'said') this.finished = null; // another turn begins
    if (event.kind === 'text') block = event.data.block;
    else if (event.data.redacted && words === '') words = '(redacted)';
    this.dropFragment(thread, event.partial === true ? manner : null);
    if (event.partial !== true && manner === 'markdown') words = this.echo.pass(words);
    if (words !== '') this.append(thread, manner, words, block, event.partial === true, seq, at);
  }

  // The whole message has come, or fragments of another kind: what was shown of it before goes.
  private dropFragment(thread: Thread, keep: Manner | null): void {
    const last = thread.blocks[thread.blocks.length - 1];
    if (last?.type === 'text' && last.partial && last.manner !== keep) thread.blocks.pop();
  }

  private append(thread: Thread, manner: Manner, words: string, block: number | undefined, partial: boolean, seq: number,
                 at: number | null): void {
    let last = thread.blocks[thread.blocks.length - 1];
    // A marker that was quoted belongs to the text around it: a fence stays one.
    if (last?.type === 'notes' && last.events.every(note => note.kind === 'quoted_marker')) last = thread.blocks[thread.blocks.length - 2];
    const goesOn = manner !== 'said' && last?.type === 'text' && last.manner === manner && last.block === block && last.partial === partial;
    if (!goesOn) {
      if (words.trim() === '') return;
      const fresh: TextBlock = {...this.base(seq, at), type: 'text', manner, text: '', block, partial};
      last = this.push(thread, fresh);
    }
    const text = last as TextBlock;
    text.text += words;
    this.touch(text, thread);
    this.cut(text, thread, seq, at);
  }

  private cut(text: TextBlock, thread: Thread, seq: number, at: number | null): void {
    let full = text;
    const [limit, cut] = text.manner === 'printed' ? [maxPrinted, cutLines] : [maxText, text.manner === 'verbatim' ? cutLines : cutMarkdown];
    while (full.text.length > limit) {
      const [head, tail] = cut(full.text, limit);
      if (tail === '' || head === '') return;
      full.text = head;
      this.touch(full, thread);
      const next: TextBlock = {...this.base(seq, at), type: 'text', manner: full.manner, text: tail, block: full.block, partial: full.partial};
      full = this.push(thread, next);
    }
  }

  private endSpeech(thread: Thread, seq: number, at: number | null): void {
    const held = this.echo.flush();
    if (held !== '') this.append(thread, 'markdown', held, undefined, false, seq, at);
  }

  private place(event: CanonicalEvent, thread: Thread, seq: number, at: number | null): void {
    switch (event.kind) {
      case 'usage':
        this.usage.add(event, seq, at);
        return;
      case 'tool_started':
        this.startTool(event, thread, seq, at);
        return;
      case 'tool_finished':
        this.finishTool(event, thread, seq, at);
        return;
      case 'status':
        this.status(event, thread, seq, at);
        return;
      case 'session_started':
        if (thread === this.root) this.session = {...this.session, ...event.data};
        this.note(event, thread, seq, at);
        return;
      case 'diagnostic':
        // It only says under which number the run is kept; the facts beside it have that.
        if (event.data.rule !== 'run_started') this.note(event, thread, seq, at);
        return;
      case 'malformed':
      case 'quoted_marker':
      case 'oversize':
      case 'unknown':
        this.note(event, thread, seq, at);
        return;
      case 'text':
      case 'thinking':
        return;
      default:
        this.card(event, thread, seq, at);
    }
  }

  private card(event: CardBlock['event'], thread: Thread, seq: number, at: number | null): void {
    this.learn(event, seq, at);
    if (event.kind === 'turn_finished' && event.data.text && this.said.is(event.data.text)) {
      event = {...event, data: {...event.data, text: undefined as unknown as string}};
    }
    // A question that was shown open is drawn again where it stands.
    if (event.kind === 'question' && event.data.id !== undefined) {
      const asked = thread.blocks.findLast(
        b => b.type === 'card' && b.event.kind === 'question' && b.event.data.id === event.data.id) as CardBlock | undefined;
      if (asked) {
        asked.event = event;
        this.touch(asked, thread);
        return;
      }
    }
    this.push(thread, {...this.base(seq, at), type: 'card', event});
  }

  private learn(event: CardBlock['event'], seq: number, at: number | null): void {
    switch (event.kind) {
      case 'command_started':
        this.command = event.data;
        this.nextActions = [];
        break;
      case 'files_changed':
        for (const file of event.data.files) {
          if (this.files.size >= maxFiles && !this.files.has(file.path)) break;
          this.files.set(file.path, {...file, claimed: event.data.claimed === true});
        }
        break;
      case 'test_results':
        this.tests.push(event);
        if (this.tests.length > maxReports) this.tests.shift();
        break;
      case 'lint_warnings':
        this.lint.push(event);
        if (this.lint.length > maxReports) this.lint.shift();
        break;
      case 'next_action':
        this.nextActions.push(event.data);
        if (this.nextActions.length > 8) this.nextActions.shift();
        break;
      case 'rate_limited':
        if (!event.data.status?.startsWith('allowed')) this.wait(event.data.limit ?? '', seq, at);
        break;
      case 'commit_suggestion':
        this.commit = event.data;
        break;
      case 'blocked':
        this.blocked = event.data.reason ?? '';
        break;
      case 'question':
        this.questionSpan(event, seq, at);
        break;
      case 'turn_finished':
        this.activity = '';
        break;
      case 'finished':
        this.activity = '';
        this.finished = event.data;
        this.closeSpans(seq, at);
        break;
      default:
        break;
    }
  }

  private startTool(event: EventOf<'tool_started'>, thread: Thread, seq: number, at: number | null): void {
    const id = event.data.id ?? '';
    const known = this.tools.get(id);
    if (known && !known.result) {
      known.call = {...known.call, ...event.data};
      this.touch(known, known.owner);
      return;
    }
    this.toolCount += 1;
    const block: ToolBlock = {
      ...this.base(seq, at), type: 'tool', call: event.data, result: null, duration: null, inside: null, owner: thread,
    };
    this.push(thread, block);
    if (this.tools.size >= maxTools) this.tools.delete(this.tools.keys().next().value as string);
    this.tools.set(id, block);
    const agent = event.data.tool === 'Agent' || event.data.tool === 'Task';
    this.openSpan(`tool ${id}`, {
      lane: laneOf(thread), label: event.data.tool ?? 'tool', detail: titleOfCall(event.data),
      from: this.when(seq, at), to: null, outcome: agent ? 'agent' : 'open', seq,
    });
  }

  private finishTool(event: EventOf<'tool_finished'>, thread: Thread, seq: number, at: number | null): void {
    const id = event.data.id ?? '';
    let block = this.tools.get(id);
    if (!block || block.result) {
      block = {...this.base(seq, at), type: 'tool', call: null, result: null, duration: null, inside: null, owner: thread};
      this.push(thread, block);
    }
    block.result = event.data;
    block.duration = event.data.duration_ms ?? (at !== null && block.at !== null && at !== block.at ? at - block.at : null);
    this.touch(block, block.owner);
    this.endTool(id, event.data.outcome === 'ok', seq, at);
  }

  private endTool(id: string, ok: boolean, seq: number, at: number | null): void {
    const agent = this.openSpans.get(`tool ${id}`)?.outcome === 'agent';
    this.closeSpan(`tool ${id}`, seq, at, ok ? (agent ? 'agent' : 'ok') : 'failed');
  }

  private status(event: EventOf<'status'>, thread: Thread, seq: number, at: number | null): void {
    const {data} = event;
    if (data.activity !== undefined && data.steps === undefined) {
      if (data.activity === 'waiting_limit') this.wait('', seq, at);
      this.activity = data.resets_at === undefined ? (data.message ?? data.activity.replaceAll('_', ' ')) : `waiting for the usage limit until ${momentWords(data.resets_at * 1000)}`;
      return;
    }
    if (data.status === undefined && data.message === undefined && data.steps === undefined) return;
    if (thread === this.root) this.progress = progressOf(data, this.progress);
    const last = thread.blocks[thread.blocks.length - 1];
    if (last?.type === 'status') {
      last.data = data;
      last.count += 1;
      this.touch(last, thread);
      return;
    }
    const block: StatusBlock = {...this.base(seq, at), type: 'status', data, count: 1};
    this.push(thread, block);
  }

  private note(event: NotesBlock['events'][number], thread: Thread, seq: number, at: number | null): void {
    const last = thread.blocks[thread.blocks.length - 1];
    if (last?.type === 'notes') {
      last.count += 1;
      if (last.events.length < 40) last.events.push(event);
      this.touch(last, thread);
      return;
    }
    this.push(thread, {...this.base(seq, at), type: 'notes', events: [event], count: 1});
  }

  private questionSpan(event: EventOf<'question'>, seq: number, at: number | null): void {
    const key = `question ${event.data.id ?? ''}`;
    if (event.data.state === 'open') {
      if (this.openSpans.has(key)) return;
      this.openSpan(key, {
        lane: 'waiting', label: 'question', detail: event.data.text || event.data.header || '', from: this.when(seq, at),
        to: null, outcome: 'wait', seq,
      });
    } else {
      this.closeSpan(key, seq, at, 'wait');
    }
  }

  // From here on it waits for a limit, until it does anything.
  private wait(limit: string, seq: number, at: number | null): void {
    this.limited = true;
    if (this.openSpans.has('limit')) return;
    this.openSpan('limit', {lane: 'waiting', label: 'rate limit', detail: limit, from: this.when(seq, at), to: null, outcome: 'wait', seq});
  }

  private openSpan(key: string, span: Span): void {
    this.spans.push(span);
    this.openSpans.set(key, span);
    if (this.spans.length > maxSpans * 1.25) this.spans = this.spans.slice(-maxSpans);
    if (this.openSpans.size > maxTools) this.openSpans.delete(this.openSpans.keys().next().value as string);
  }

  private closeSpan(key: string, seq: number, at: number | null, outcome: Span['outcome']): void {
    const span = this.openSpans.get(key);
    if (!span) return;
    span.to = this.when(seq, at);
    span.outcome = outcome;
    this.openSpans.delete(key);
  }

  private closeSpans(seq: number, at: number | null): void {
    for (const [key, span] of [...this.openSpans]) this.closeSpan(key, seq, at, span.outcome);
  }
}

// Whose markers stand in Markdown. Bracket markers stand between lines of a program.
function surroundsMarkdown(event: CanonicalEvent): boolean {
  return event.origin.dialect === 'wxcode' || event.origin.dialect === 'question';
}

// As `dragoman show` on a terminal: a message is Markdown, what a program prints is not.
function mannerOf(event: CanonicalEvent, markdown: boolean): Manner {
  if (event.kind === 'thinking') return 'thinking';
  if (event.origin.channel === 'user') return 'said';
  const {stream, channel} = event.origin;
  if (stream === 'stderr' || channel === 'stderr' || channel === 'noise') return 'verbatim';
  return channel === 'stdout' && !markdown ? 'printed' : 'markdown';
}

// A line that is longer than a block is cut between its characters; a colour sequence is one of them.
function cutLines(text: string, limit: number): [head: string, tail: string] {
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const begun = line > 0 ? -1 : text.lastIndexOf('\x1b', limit - 1);
  // eslint-disable-next-line no-control-regex
  const inside = begun > 0 && begun > limit - 32 && /^\x1b\[?[0-9;:]*$/.test(text.slice(begun, limit));
  const {head} = headOf(text, line || (inside ? begun : limit));
  return [head, text.slice(head.length)];
}

function laneOf(thread: Thread): string {
  return thread.owner ? (thread.owner.call?.description ?? thread.owner.call?.tool ?? 'subagent') : 'agent';
}

export function titleOfCall(call: Payloads['tool_started']): string {
  return call.description ?? call.command ?? call.file ?? call.mcp_tool ?? tellingArgument(call.input);
}

// Of a call that has neither a command nor a file; the same arguments as `dragoman show`.
function tellingArgument(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = input as Record<string, unknown>;
  const name = ['pattern', 'query', 'url', 'skill', 'uri', 'name', 'path'].find(name => typeof values[name] === 'string');
  return name === undefined ? '' : (values[name] as string);
}

function progressOf(data: Payloads['status'], before: Progress | null): Progress {
  const status = data.status === undefined || data.status === '' ? 'in_progress' : data.status;
  let percent = before?.percent ?? null; // a message alone does not say that work was undone
  if (data.progress !== undefined) percent = data.progress;
  else if (data.steps && data.steps.total > 0) percent = (100 * data.steps.done) / data.steps.total;
  else if (status === 'completed') percent = 100;
  if (percent !== null) percent = Math.max(0, Math.min(100, percent));
  return {status, message: data.message ?? '', percent};
}
