// SPDX-License-Identifier: Apache-2.0
// The server's API (/api/v1). Times are milliseconds since 1970.
import type {CanonicalEvent, Grant, Option, Wants} from './model/event';

export type State = 'queued' | 'working' | 'waiting' | 'completed' | 'failed' | 'cancelled' | 'timeout';
export const states: State[] = ['waiting', 'working', 'queued', 'completed', 'failed', 'cancelled', 'timeout'];

export interface Run {
  id: string;
  title: string;
  agent: string;
  tool: string;
  state: State;
  reason: string | null;
  working_dir: string | null;
  created_at: number;
  started_at: number | null;
  completed_at: number | null;
  duration_ms: number | null;
  progress: {percent: number | null; completed?: number | null; total?: number | null; activity?: string | null} | null;
  tokens: number | null;
  cost_usd: number | null;
  waiting_for: string | null;
  summary: string | null;
  open_questions: number;
  label: string | null;
  waits: 'slot' | 'answer' | 'message' | null; // what it needs to begin or to go on
  turns: number; // begun so far
  said: number; // messages that were accepted
  heard: number; // up to there all are settled
  revision: number;
}

// When the agent hears a message that is sent now: at once, after its turn, or with a next turn that begins for it.
export type Hearing = 'now' | 'after_turn' | 'next_turn';

// What a person or a program said to a run.
export interface Said {
  number: number;
  text: string;
  by: string;
  said_at: number;
  state: 'waiting' | 'taken' | 'delivered' | 'undelivered';
  reason: string | null; // why it was not delivered
  settled_at: number | null;
}

export interface Question {
  id: string;
  run: string; // its id
  kind?: string; // question, approval or blocked
  header: string;
  question: string;
  context?: string[];
  options: Option[];
  multi_select: boolean;
  allow_free_text: boolean;
  secret: boolean;
  state: 'open' | 'answered' | 'withdrawn' | 'unanswered';
  wants?: Wants;
  answer: string | null;
  decision: Grant | null; // of a permission that is answered
  answered_by: string | null;
  asked_at: number;
  answered_at: number | null;
}

export interface RunDetail extends Run {
  text?: string;
  environment?: unknown;
  mode?: string | null;
  model?: string | null;
  permission_mode?: string | null;
  thread_id?: string | null;
  parent?: string | null;
  exit_code?: number | null;
  signal?: string | null;
  last_lines?: string[];
  verdict?: {state: string; reasons: string[]} | null;
  usage?: {
    input_tokens?: number | null;
    output_tokens?: number | null;
    cache_read_tokens?: number | null;
    cost_usd?: number | null;
    curve?: {seq: number; at: number | null; input_tokens: number; output_tokens: number; cost_usd: number | null}[];
  } | null;
  questions?: Question[];
  hears?: Hearing | null; // null: it cannot go on
  cannot_go_on?: string | null; // why not
  messages?: Said[]; // the last of them
}

export type Counts = Partial<Record<State, number>>;

export interface RunPage {
  runs: Run[];
  counts: Counts;
  next: string | null;
  revision: number;
}

export interface EventPage {
  first: number;
  last: number;
  events: {seq: number; event: CanonicalEvent}[];
}

// Where a run says something; everything up to `last` was looked at.
export interface FoundPage {
  hits: {seq: number; times: number}[];
  last: number;
  more: boolean;
}

export interface Mode {
  value: string; // as the server takes it
  words: string; // as the agent calls it
}

export interface Info {
  version: string;
  name: string;
  features: string[];
  agents: string[]; // whom a task can be given
  usual_agent: string; // who gets a task that names no agent
  modes: Record<string, Mode[]>; // what each agent may be allowed
  demo: boolean;
}

export interface Parsed {
  dialect: string;
  events: CanonicalEvent[];
  verdict: {state?: string; verdict?: string; reasons?: string[]} | null;
  stats: Record<string, unknown> | null;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const base = '/api/v1';

// Called when the token is no longer good.
let signOut = (): void => undefined;
export function whenDenied(run: () => void): void {
  signOut = run;
}

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(base + path, {credentials: 'same-origin', cache: 'no-store', ...init});
  } catch {
    throw new ApiError(0, 'unreachable', 'The server does not answer. Is dragoman serve still running?');
  }
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) signOut();
  const body = (await response.json().catch(() => null)) as {error?: {code?: string; message?: string}} | null;
  throw new ApiError(response.status, body?.error?.code ?? 'error', body?.error?.message ?? `The server answered ${response.status}.`);
}

function post<T>(path: string, body: unknown): Promise<T> {
  return call<T>(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});
}

function query(values: Record<string, string | number | undefined | null>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

const id = encodeURIComponent;
export const kept = '10m'; // how long an agent stays after a turn that somebody began here

export const api = {
  info: () => call<Info>('/info'),
  runs: (options: {state?: string; q?: string; limit?: number; before?: string | null}) => call<RunPage>(`/runs${query(options)}`),
  run: (run: string) => call<RunDetail>(`/runs/${id(run)}`),
  events: (run: string, options: {from?: number; before?: number; limit: number}) =>
    call<EventPage>(`/runs/${id(run)}/events${query(options)}`),
  find: (run: string, q: string, from: number) => call<FoundPage>(`/runs/${id(run)}/search${query({q, from})}`),
  cancel: (run: string, reason: string) => post<Run>(`/runs/${id(run)}/cancel`, reason === '' ? {} : {reason}),
  // A page stays with its run: the agent is kept for the next message.
  send: (run: string, text: string) => post<{id: string; number: number; hears: Hearing; run: Run}>(`/runs/${id(run)}/messages`, {text, keep: kept}),
  interrupt: (run: string) => post<Run>(`/runs/${id(run)}/interrupt`, {}),
  submit: (task: Record<string, unknown>) => post<{run: Run; queue_position: number | null}>('/tasks', task),
  questions: () => call<{questions: Question[]}>('/questions?state=open'),
  // Two runs may ask the same: the run's id goes along.
  answer: (question: Question, answer: {answer: string; literal?: boolean} | {choices: number[]}) =>
    post<{accepted: boolean; question: Question}>(`/questions/${id(`${question.run}/${question.id}`)}/answer`, answer),
  search: (q: string, limit: number) => call<{hits: {run: Run; seq: number | null; excerpt: string}[]}>(`/search${query({q, limit})}`),
  parse: (body: Blob) => call<Parsed>('/parse?dialect=auto', {method: 'POST', body, headers: {'Content-Type': 'application/octet-stream'}}),
  raw: async (run: string, stream: string, offset: number, length: number): Promise<Uint8Array> => {
    const response = await fetch(`${base}/runs/${id(run)}/raw${query({stream, offset, length})}`, {cache: 'no-store'});
    if (!response.ok) throw new ApiError(response.status, 'raw', response.status === 404 ? 'There is no recording of this run.' : `The server answered ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  },
};

export function isOver(state: State): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'timeout';
}

// A turn goes on that can be interrupted.
export function isAtWork(run: Run): boolean {
  return run.state === 'working' || run.state === 'waiting';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
