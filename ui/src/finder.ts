// SPDX-License-Identifier: Apache-2.0
// Looks for words in one whole run or recording, page by page of what `find` has found.
import {signal} from '@preact/signals';
import {type FoundPage, messageOf} from './api';
import {type Hit, type Spot, countOf, placeFrom, spotAt} from './model/hits';
import {Turns} from './turns';

const most = 1_000; // events with the words

export class Finder {
  readonly hits = signal<Hit[]>([]);
  readonly index = signal(-1); // the place that is shown
  readonly busy = signal(false);
  readonly full = signal(false); // there are more than are counted
  readonly error = signal('');
  words = ''; // what was looked for
  private last = 0; // events that were looked at
  private readonly turns = new Turns();
  private current = this.turns.begin();

  constructor(
    private readonly find: (words: string, from: number) => Promise<FoundPage>,
    private readonly show: (spot: Spot) => void,
  ) {}

  get count(): number {
    return countOf(this.hits.value);
  }

  // `near`: the event from where on the first place is wanted.
  async search(words: string, near: number): Promise<void> {
    this.words = words;
    this.last = 0;
    this.current = this.turns.begin();
    this.error.value = '';
    this.full.value = false;
    this.hits.value = []; // those of other words
    this.index.value = -1;
    this.busy.value = false;
    if (words.trim() === '') return;
    const hits = await this.read([]);
    if (!hits) return;
    this.hits.value = hits;
    this.pick(placeFrom(hits, near));
  }

  // The run goes on: what has come since.
  async more(): Promise<void> {
    if (this.words.trim() === '' || this.busy.value || this.full.value) return;
    const hits = await this.read(this.hits.value);
    if (!hits) return;
    const none = this.hits.value.length === 0 && hits.length > 0;
    this.hits.value = hits;
    if (none) this.pick(0);
  }

  // To the next place, or with -1 to the one before; round at the ends.
  step(by: number): void {
    const {count} = this;
    if (count > 0) this.pick((this.index.value + by + count) % count);
  }

  close(): void {
    this.turns.drop();
  }

  private pick(index: number): void {
    this.index.value = index;
    const spot = spotAt(this.hits.value, index);
    if (spot) this.show(spot);
  }

  // What the rest of the log has, behind what is known; null when nobody waits for it any more.
  private async read(known: Hit[]): Promise<Hit[] | null> {
    const {current} = this;
    const hits = [...known];
    this.busy.value = true;
    try {
      for (let more = true; more && hits.length < most;) {
        const page = await this.find(this.words, this.last + 1);
        if (!current()) return null;
        hits.push(...page.hits);
        this.last = page.last;
        more = page.more;
        this.full.value = more && hits.length >= most;
      }
      this.error.value = '';
    } catch (problem) {
      if (!current()) return null;
      this.error.value = messageOf(problem);
    }
    this.busy.value = false;
    return hits;
  }
}
