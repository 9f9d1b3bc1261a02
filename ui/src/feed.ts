// SPDX-License-Identifier: Apache-2.0
// The events of one run, from the server's log into a story: the newest first, the rest as the
// stream brings it, older ones when somebody scrolls up. The page keeps a bounded stretch. It goes to
// another one by one way at a time: the last that was asked for wins.
import {signal} from '@preact/signals';
import {type RunDetail, type Run, api, base, isOver, messageOf} from './api';
import type {CanonicalEvent} from './model/event';
import {Story} from './model/story';
import type {Source} from './parts/conversation';
import {EventStream, type Link, type Message} from './sse';
import {type Events, opened, page, readAround, readEnd, readOpening} from './stretch';
import {Turns} from './turns';

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
  rate = 0; // events a second, lately

  private begun = false;
  private readonly openings = new Turns();
  private readonly details = new Turns();
  private readonly moves = new Turns();
  private moving: Promise<void> | null = null; // to another stretch, the last that was asked for
  private away = false; // to one in which the reader does not stand
  private queue: Events = [];
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

  // Reads the run from where its address points.
  async open(): Promise<void> {
    const around = this.pointed;
    const current = this.openings.begin();
    const newest = this.details.begin();
    this.begun = true;
    this.loading.value = true;
    const moved = this.move(() => (around === null ? this.opening() : readAround(this.id, around)));
    const way = this.moves.last;
    let error = '';
    try {
      const [detail] = await Promise.all([api.run(this.id), moved]);
      // What is over is read from its beginning, unless its reader has gone on already.
      if (way === this.moves.last && isOver(detail.state) && this.story.firstSeq <= this.first) this.following = false;
      if (current() && newest()) this.know(detail);
    } catch (problem) {
      error = messageOf(problem);
    }
    if (!current()) return;
    this.error.value = error;
    this.loading.value = false;
    this.resume();
  }

  close(): void {
    this.closed = true;
    this.openings.drop();
    this.moves.drop();
    this.moving = null;
    this.stream.stop();
    document.removeEventListener('visibilitychange', this.visibility);
  }

  // Reads what stands before the first event that is kept. When the page is full it moves there.
  async older(): Promise<void> {
    const {story, first} = this;
    const {firstSeq} = story;
    if (this.loadingOlder.value || this.moving || firstSeq <= first) return;
    this.loadingOlder.value = true;
    try {
      if (story.root.blocks.length > maxBlocks * 2) {
        await this.leave(Math.max(1, firstSeq - page));
      } else {
        const got = await api.events(this.id, {before: firstSeq, limit: page});
        if (this.story === story) this.prepend(got.events); // else another stretch was read meanwhile
      }
    } catch {
      // Scrolling tries again; a lost connection is shown by the link.
    }
    this.loadingOlder.value = false;
  }

  private prepend(events: Events): void {
    if (events.length === 0) this.first = this.story.firstSeq;
    const earlier = new Story({maxBlocks});
    for (const {seq, event} of events) earlier.add(event, seq);
    this.story.prepend(earlier);
    this.draw();
  }

  // To the newest event, whatever was read before, and wherever the page was on its way to.
  async latest(): Promise<void> {
    this.following = true;
    this.paused.value = false;
    this.draw();
    await this.move(() => this.endBeyond(opened)).catch(() => undefined);
  }

  // The address leads to an event, perhaps once more: the page no longer follows, and reads that stretch
  // unless it has it.
  point(seq: number | null, visit: number): void {
    if (this.pointed === seq && this.visit === visit) return;
    this.pointed = seq;
    this.visit = visit;
    if (seq === null) return;
    this.following = false;
    if (!this.begun) return; // open() reads it
    const kept = seq >= this.story.firstSeq && seq <= this.story.lastSeq;
    (kept ? this.move(() => Promise.resolve(null)) : this.leave(seq)).catch(() => undefined);
  }

  // To an event in another stretch. Where the reader stands until then does not matter any more.
  private leave(seq: number): Promise<void> {
    this.following = false;
    this.halt();
    const moved = this.move(() => readAround(this.id, seq));
    this.away = true;
    return moved;
  }

  // Reads another stretch in place of the one that is kept, or null: that one stays. An overtaken way ends
  // with the one that overtook it, and what it has read is dropped.
  private move(read: () => Promise<Events | null>): Promise<void> {
    const current = this.moves.begin();
    const way = async () => {
      const got = await read().then(events => ({events, failed: false, why: undefined}), (why: unknown) => ({events: null, failed: true, why}));
      if (!current()) return this.moving ?? undefined;
      this.moving = null;
      this.away = false;
      if (got.events) this.rebuild(got.events);
      this.resume();
      if (got.failed) throw got.why;
      return undefined;
    };
    this.away = false;
    this.moving = way();
    return this.moving;
  }

  // What the stream has brought and is not folded yet does not follow on what is read now.
  private halt(): void {
    this.stream.stop();
    this.queue = [];
  }

  // The stream goes on behind the last event that is kept.
  private resume(): void {
    if (!this.closed && !this.loading.value && !this.paused.value && this.error.value === '') this.stream.start();
  }

  // The reader has come to the end of what is kept.
  more(): void {
    if (!this.paused.value || this.away) return;
    this.paused.value = false;
    this.story.trim();
    this.resume();
  }

  // At the end of a stretch that the page is leaving nothing is followed.
  follow(following: boolean): void {
    this.following = following && !this.away;
    this.draw();
  }

  async refresh(): Promise<void> {
    const newest = this.details.begin();
    try {
      const detail = await api.run(this.id);
      if (newest()) this.know(detail);
    } catch {
      // The link shows it.
    }
  }

  // The stream may have brought newer news of the run.
  private know(detail: RunDetail): void {
    const before = this.detail.value;
    if (!before || before.revision <= detail.revision) this.detail.value = detail;
  }

  private readonly visibility = () => {
    if (document.hidden) {
      this.stream.stop();
    } else if (!this.closed && !this.paused.value && !this.loading.value && !this.moving) {
      // After a while in the background: a short gap is streamed, a long one is skipped.
      this.move(() => (this.following ? this.endBeyond(farBehind) : Promise.resolve(null))).catch(() => undefined);
    }
  };

  // The end of the log, if what is kept ends further than `gap` before it.
  private async endBeyond(gap: number): Promise<Events | null> {
    const {last} = await api.events(this.id, {from: this.story.lastSeq + 1, limit: 1});
    return last - this.story.lastSeq > gap ? readEnd(this.id, this.first, last) : null;
  }

  private async opening(): Promise<Events> {
    const {first, events} = await readOpening(this.id);
    this.first = first;
    return events;
  }

  private rebuild(events: Events): void {
    this.halt();
    this.story = new Story({maxBlocks});
    this.paused.value = false;
    this.fold(events);
    this.draw();
  }

  private fold(events: Events): void {
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
        this.restart();
      }
    }
    if (!news) return;
    this.schedule();
    if (this.queue.length < 4_000) return;
    return new Promise(resolve => this.queued.push(resolve));
  }

  private restart(): void {
    this.halt();
    this.move(() => this.opening()).catch(() => undefined);
  }

  private state(run: Run): void {
    const before = this.detail.value;
    if (before && before.revision > run.revision) return;
    if (before) this.detail.value = {...before, ...run};
    // The verdict, the totals, the questions and the messages are not part of the run's line.
    const news = !before || before.state !== run.state || before.open_questions !== run.open_questions || before.said !== run.said || before.heard !== run.heard;
    if (news || isOver(run.state)) void this.refresh();
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
