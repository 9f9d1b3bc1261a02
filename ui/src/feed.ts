// SPDX-License-Identifier: Apache-2.0
// The events of one run, from the server's log into a story: the newest first, the rest as the
// stream brings it, older ones when somebody scrolls up. The page keeps a bounded stretch.
import {signal} from '@preact/signals';
import {type EventPage, type RunDetail, type Run, api, base, isOver, messageOf} from './api';
import type {CanonicalEvent} from './model/event';
import {Story} from './model/story';
import type {Source} from './parts/conversation';
import {EventStream, type Link, type Message} from './sse';

const page = 500;
const opened = 2_000; // events read when a long run is opened
const farBehind = 20_000; // events after which the stream is left and the end read instead
const maxBlocks = 3_000;

export class RunFeed {
  story = new Story({maxBlocks});
  readonly version = signal(0); // the story has changed
  readonly detail = signal<RunDetail | null>(null);
  readonly error = signal('');
  readonly link = signal<Link>('connecting');
  readonly loading = signal(true);
  readonly loadingOlder = signal(false);
  readonly paused = signal(false); // somebody reads further up, and the page is full
  first = 1; // what the log has
  following = true;
  readonly reading: Source['reading'] = {at: null};
  private pointed: number | null = null;
  private visit = 0;
  private turn = 0; // of what it pointed at
  rate = 0; // events a second, lately

  private queue: {seq: number; event: CanonicalEvent}[] = [];
  private queued: (() => void)[] = [];
  private frame = 0;
  private closed = false;
  private counted = 0;
  private countedAt = performance.now();
  private readonly stream: EventStream;

  constructor(readonly id: string) {
    this.stream = new EventStream({
      url: () => `${base}/runs/${encodeURIComponent(id)}/stream?from=${this.story.lastSeq + 1}`,
      lastId: () => (this.story.lastSeq > 0 ? String(this.story.lastSeq) : ''),
      take: messages => this.take(messages),
      link: state => {
        this.link.value = state;
      },
    });
    document.addEventListener('visibilitychange', this.visibility);
  }

  // `around`: an event to begin at, from a link.
  async open(around: number | null): Promise<void> {
    try {
      const [detail] = await Promise.all([api.run(this.id), this.read(around)]);
      // What is over is read from its beginning.
      if (isOver(detail.state) && this.story.firstSeq <= this.first) this.following = false;
      this.detail.value = detail;
      this.error.value = '';
    } catch (error) {
      this.error.value = messageOf(error);
    }
    this.loading.value = false;
    if (!this.closed && this.error.value === '') this.stream.start();
  }

  close(): void {
    this.closed = true;
    this.stream.stop();
    document.removeEventListener('visibilitychange', this.visibility);
  }

  // Reads what stands before the first event that is kept. When the page is full it moves there.
  async older(): Promise<void> {
    const {firstSeq, root} = this.story;
    if (this.loadingOlder.value || firstSeq <= this.first) return;
    this.loadingOlder.value = true;
    try {
      if (root.blocks.length > maxBlocks * 2) {
        await this.read(Math.max(1, firstSeq - page));
      } else {
        const {story} = this;
        const got = await api.events(this.id, {before: firstSeq, limit: page});
        if (this.story !== story) throw new Error('another stretch was read meanwhile');
        if (got.events.length === 0) this.first = firstSeq;
        const earlier = new Story({maxBlocks});
        for (const {seq, event} of got.events) earlier.add(event, seq);
        this.story.prepend(earlier);
        this.draw();
      }
    } catch {
      // Scrolling tries again; a lost connection is shown by the link.
    }
    this.loadingOlder.value = false;
  }

  // To the newest event, whatever was read before.
  async latest(): Promise<void> {
    this.following = true;
    this.draw();
    if (!this.paused.value) return;
    const {last} = await api.events(this.id, {from: this.story.lastSeq + 1, limit: 1});
    if (last - this.story.lastSeq > opened) await this.readEnd(last);
    this.more();
  }

  // The address leads to an event, perhaps once more: the page no longer follows, and reads that stretch
  // unless it has it.
  point(seq: number | null, visit: number): void {
    if (this.pointed === seq && this.visit === visit) return;
    this.pointed = seq;
    this.visit = visit;
    if (seq === null) return;
    this.following = false;
    this.turn += 1;
    if (this.loading.value) return;
    if (seq < this.story.firstSeq || seq > this.story.lastSeq) void this.reread(seq, this.turn);
    else if (!this.paused.value) this.stream.start(); // unless it goes on anyway
  }

  private async reread(around: number, turn: number): Promise<void> {
    this.stream.stop(); // it goes on behind the last event that is read now
    this.queue = []; // and what it brought before does not follow on that one
    const got = await this.stretchAround(around).catch(() => null);
    if (turn !== this.turn || this.closed) return; // the address leads elsewhere by now
    if (got) this.rebuild(got.events);
    this.paused.value = false;
    this.stream.start();
  }

  // Events from a number on. Large ones come in several answers.
  async stretch(from: number, limit: number): Promise<EventPage['events']> {
    const events: EventPage['events'] = [];
    for (let next = from; next < from + limit; ) {
      const got = await api.events(this.id, {from: next, limit: from + limit - next});
      events.push(...got.events);
      next = (got.events.at(-1)?.seq ?? got.last) + 1;
      if (next > got.last) break;
    }
    return events;
  }

  // Two answers: before large events the one in question might not be in the first.
  private async stretchAround(seq: number): Promise<EventPage> {
    const [before, behind] = await Promise.all([
      api.events(this.id, {before: seq, limit: 100}),
      api.events(this.id, {from: seq, limit: page - 100}),
    ]);
    return {...behind, events: [...before.events, ...behind.events]};
  }

  // The reader has come to the end of what is kept.
  more(): void {
    if (!this.paused.value) return;
    this.paused.value = false;
    this.story.trim();
    this.stream.start();
  }

  follow(following: boolean): void {
    this.following = following;
    this.draw();
  }

  async refresh(): Promise<void> {
    try {
      this.detail.value = await api.run(this.id);
    } catch {
      // The link shows it.
    }
  }

  private readonly visibility = () => {
    if (document.hidden) {
      this.stream.stop();
    } else if (!this.closed && !this.paused.value && !this.loading.value) {
      void this.catchUp();
    }
  };

  // After a while in the background: a short gap is streamed, a long one is skipped.
  private async catchUp(): Promise<void> {
    try {
      const {last} = await api.events(this.id, {from: this.story.lastSeq + 1, limit: 1});
      if (last - this.story.lastSeq > farBehind) await this.readEnd(last);
    } catch {
      // The stream tries again.
    }
    if (!this.closed) this.stream.start();
  }

  private async read(around: number | null): Promise<void> {
    const head = await (around ? this.stretchAround(around) : api.events(this.id, {from: 1, limit: page}));
    // `first` of a page is that of the page: only the page from 1 says where the log begins.
    if (!around) this.first = head.events[0]?.seq ?? 1;
    if (around) {
      this.following = false;
      this.rebuild(head.events);
    } else if (head.last <= opened) {
      this.rebuild(head.events);
      while (!this.closed && this.story.lastSeq < head.last) {
        const next = await api.events(this.id, {from: this.story.lastSeq + 1, limit: page});
        if (next.events.length === 0) break;
        this.fold(next.events);
      }
    } else {
      await this.readEnd(head.last);
    }
    this.draw();
  }

  private async readEnd(last: number): Promise<void> {
    let before = last + 1;
    let events: {seq: number; event: CanonicalEvent}[] = [];
    while (events.length < opened && before > this.first) {
      const got = await api.events(this.id, {before, limit: page});
      if (got.events.length === 0) break;
      events = [...got.events, ...events];
      before = got.events[0]?.seq ?? 0;
    }
    this.rebuild(events);
  }

  private rebuild(events: {seq: number; event: CanonicalEvent}[]): void {
    const after = this.queue;
    this.queue = [];
    this.story = new Story({maxBlocks});
    this.fold(events);
    this.fold(after);
    this.draw();
  }

  private fold(events: {seq: number; event: CanonicalEvent}[]): void {
    for (const {seq, event} of events) this.story.add(event, seq);
  }

  // The stream waits while the page is busy: what comes is folded once a frame.
  private take(messages: Message[]): void | Promise<void> {
    let news = false;
    for (const {id, event, data} of messages) {
      if (event === 'event') {
        this.queue.push({seq: Number(id), event: JSON.parse(data) as CanonicalEvent});
        news = true;
      } else if (event === 'state') {
        this.state(JSON.parse(data) as Run);
      } else if (event === 'resync') {
        void this.restart();
      }
    }
    if (!news) return;
    this.schedule();
    if (this.queue.length < 4_000) return;
    return new Promise(resolve => this.queued.push(resolve));
  }

  private async restart(): Promise<void> {
    this.stream.stop();
    this.queue = [];
    await this.read(null).catch(() => undefined);
    if (!this.closed) this.stream.start();
  }

  private state(run: Run): void {
    const before = this.detail.value;
    if (before) this.detail.value = {...before, ...run};
    // The verdict, the totals and the questions are not part of the run's line.
    if (!before || before.state !== run.state || before.open_questions !== run.open_questions || isOver(run.state)) void this.refresh();
  }

  private schedule(): void {
    if (this.frame !== 0) return;
    const run = () => {
      this.frame = 0;
      this.flush();
    };
    // A flood is drawn a few times a second: nobody reads faster.
    const slow = this.rate > 1_000;
    this.frame = document.hidden || slow ? window.setTimeout(run, slow ? 120 : 400) : requestAnimationFrame(run);
  }

  private flush(): void {
    const events = this.queue;
    this.queue = [];
    this.fold(events);
    this.measure(events.length);
    if (this.following) this.story.trim();
    else if (this.story.root.blocks.length > maxBlocks * 2) this.pause();
    this.draw();
    for (const resolve of this.queued.splice(0)) resolve();
  }

  private pause(): void {
    this.paused.value = true;
    this.stream.stop();
  }

  private measure(count: number): void {
    this.counted += count;
    const past = performance.now() - this.countedAt;
    if (past < 500) return;
    this.rate = (this.counted * 1000) / past;
    this.counted = 0;
    this.countedAt = performance.now();
  }

  private draw(): void {
    this.version.value += 1;
  }
}
