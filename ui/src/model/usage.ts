// SPDX-License-Identifier: Apache-2.0
// Tokens and money over the run, counted as the program counts them (run/usage.hpp): the last figures
// of a message stand, a turn's result replaces its messages, a thread's total grows from turn to turn.
import type {EventOf} from './event';

export interface UsageTotal {
  input: number; // everything that went in, cached or not
  cached: number;
  output: number;
  cost: number | null;
}

export interface UsagePoint {
  seq: number;
  at: number | null; // ms since 1970
  input: number;
  output: number;
  cost: number | null;
}

const nothing: UsageTotal = {input: 0, cached: 0, output: 0, cost: null};
const maxPoints = 512;
const maxMessages = 4096;

function add(a: UsageTotal, b: UsageTotal): UsageTotal {
  return {input: a.input + b.input, cached: a.cached + b.cached, output: a.output + b.output, cost: a.cost};
}

export class UsageFold {
  points: UsagePoint[] = [];
  private turns: UsageTotal = nothing; // finished turns
  private thread: UsageTotal | null = null;
  private messages = new Map<string, UsageTotal>(); // of the turn that runs
  private sum: UsageTotal = nothing; // of the messages
  private run: UsageTotal | null = null;
  private cost: number | null = null;

  add(event: EventOf<'usage'>, seq: number, at: number | null): void {
    const {data} = event;
    const cached = data.cached_input_tokens ?? 0;
    const apart = event.origin.dialect === 'claude' ? cached + (data.cache_write_tokens ?? 0) : 0;
    const figures: UsageTotal = {
      input: (data.input_tokens ?? 0) + apart,
      cached,
      output: data.output_tokens ?? 0,
      cost: null,
    };
    if (data.cost_usd !== undefined) this.cost = data.cost_usd;
    this.take(data.scope ?? 'turn', data.message_id, figures);
    this.note({...this.total(), seq, at});
  }

  total(): UsageTotal {
    const counted = this.run ?? add(add(this.turns, this.sum), this.thread ?? nothing);
    return {...counted, cost: this.cost};
  }

  private take(scope: string, id: string | undefined, figures: UsageTotal): void {
    if (scope === 'run') {
      this.run = figures;
    } else if (scope === 'thread') {
      this.thread = figures;
      this.endTurn();
    } else if (scope === 'message') {
      const key = id ?? `#${this.messages.size}`;
      const before = this.messages.get(key);
      if (before === undefined && this.messages.size >= maxMessages) this.messages.clear();
      if (before) this.sum = add(this.sum, {input: -before.input, cached: -before.cached, output: -before.output, cost: null});
      this.messages.set(key, figures);
      this.sum = add(this.sum, figures);
    } else {
      this.turns = add(this.turns, figures);
      this.endTurn();
    }
  }

  private endTurn(): void {
    this.messages.clear();
    this.sum = nothing;
  }

  // Every second point goes when there are too many: the curve keeps its shape.
  private note(point: UsagePoint): void {
    const last = this.points[this.points.length - 1];
    if (last && last.input === point.input && last.output === point.output && last.cost === point.cost) return;
    this.points.push(point);
    if (this.points.length > maxPoints) this.points = this.points.filter((_, i) => i % 2 === 0);
  }
}

// The server has counted the whole run, the page the stretch that it has read. As far as the server's curve
// goes that one counts, unless the page has seen everything; what the page has counted since stands on its end.
export function joined(points: UsagePoint[], whole: UsagePoint[]): UsagePoint[] {
  const [first] = points;
  const [begin] = whole;
  const end = whole[whole.length - 1];
  if (!begin || !end || (first && first.seq <= begin.seq)) return points;
  const there = points.findLast(point => point.seq <= end.seq) ?? {input: 0, output: 0};
  const since = points.filter(point => point.seq > end.seq);
  return [...whole, ...since.map(point => ({...point, input: point.input + end.input - there.input, output: point.output + end.output - there.output}))];
}

// The curve as it is known at its end: what was counted too high on the way is put right, so that a
// sum never falls, and the last point is the figure beside it.
export function grown(points: UsagePoint[], input: number | null, output: number | null): UsagePoint[] {
  let most = {input: Infinity, output: Infinity};
  return [...points].reverse().map((point, i) => {
    const known = i === 0 ? {input: input ?? point.input, output: output ?? point.output} : point;
    most = {input: Math.min(most.input, known.input), output: Math.min(most.output, known.output)};
    return {...point, ...most};
  }).reverse();
}
