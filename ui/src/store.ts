// SPDX-License-Identifier: Apache-2.0
// What every view of the page knows: the runs, the open questions, the connection, the clock.
import {computed, effect, signal} from '@preact/signals';
import {ApiError, type Counts, type Info, type Question, type Run, type RunPage, type State, api, base, isOver, whenDenied} from './api';
import calmIcon from './icons/icon.svg?url';
import waitingIcon from './icons/icon-waiting.svg?url';
import {dropDrafts} from './drafts';
import {askedWords, decisionWords} from './model/asked';
import {neutralLine} from './model/neutral';
import {wanted} from './prefs';
import {go, place} from './router';
import {EventStream, type Link, type Message, hurryAll} from './sse';
import {Turns} from './turns';

export const info = signal<Info | null>(null);
export const link = signal<Link>('connecting');
export const now = signal(Date.now());
export const counts = signal<Counts>({});
export const runsVersion = signal(0); // `runs` has changed
export const runs = new Map<string, Run>();
export const questions = signal<Question[]>([]);
export const announcement = signal(''); // for screen readers
export const notice = signal(''); // for everybody, for a while

export const waitingCount = computed(() => questions.value.length);

// Active runs are all known. Finished ones as far as somebody has scrolled.
const activeStates: State[] = ['waiting', 'working', 'queued'];
const keptRuns = 20_000;
const removed = new Set<string>(); // runs that a late answer must not bring back
let revision = 0;
let known = false; // everything up to that revision

function put(run: Run): void {
  const before = runs.get(run.id);
  if (removed.has(run.id) || (before && before.revision > run.revision)) return;
  runs.set(run.id, run);
}

export function putRuns(list: Run[]): void {
  for (const run of list) put(run);
  runsVersion.value += 1;
}

function remove(id: string): void {
  runs.delete(id);
  removed.add(id);
  const [oldest] = removed;
  if (removed.size > keptRuns && oldest !== undefined) removed.delete(oldest);
}

// The page and its first view ask at the same moment.
let loading = false;
let overview: Promise<string | null> = Promise.resolve(null); // the last that was asked for
const overviews = new Turns();

export function loadOverview(): Promise<string | null> {
  if (!loading) overview = readOverview(overviews.begin());
  loading = true;
  return overview;
}

async function readOverview(current: () => boolean): Promise<string | null> {
  try {
    const page = await api.runs({limit: 50});
    if (!current()) return await overview;
    if (!known) revision = page.revision;
    known = true;
    takeCounts(page);
    putRuns(page.runs);
    // Active runs may be older than the newest page.
    for (const state of activeStates) {
      const known = [...runs.values()].filter(run => run.state === state).length;
      if ((page.counts[state] ?? 0) > known) putRuns((await api.runs({state, limit: 200})).runs);
    }
    return page.next;
  } finally {
    if (current()) loading = false;
  }
}

// What the stream has lost may be anything: all is read anew, also what is being read already.
function reload(): void {
  runs.clear();
  removed.clear();
  countedAt = 0;
  loading = false;
  for (const load of [loadOverview(), loadQuestions()]) load.catch(() => undefined); // the link shows it
}

// What became of questions since the list was asked for that is still to come; null: closed.
let heard: Map<string, Question | null> | null = null;
const lists = new Turns();

export async function loadQuestions(): Promise<void> {
  const current = lists.begin();
  const since = (heard = new Map<string, Question | null>());
  try {
    const list = (await api.questions()).questions.filter(one => !since.has(keyOf(one)));
    if (current()) setQuestions([...list, ...[...since.values()].filter(one => one !== null)]);
  } finally {
    if (current()) heard = null;
  }
}

function setQuestions(open: Question[]): void {
  questions.value = open.sort((a, b) => a.asked_at - b.asked_at);
}

// It is asked no longer, as far as is known here.
export function closeQuestion(question: Question): void {
  heard?.set(keyOf(question), null);
  questions.value = questions.value.filter(one => keyOf(one) !== keyOf(question));
}

// Counts are the server's: one question for many changes.
let countedAt = 0; // the revision
let countsTimer = 0;

function takeCounts(page: RunPage): void {
  if (page.revision < countedAt) return;
  countedAt = page.revision;
  counts.value = page.counts;
}

function refreshCounts(): void {
  if (countsTimer !== 0) return;
  countsTimer = window.setTimeout(async () => {
    countsTimer = 0;
    try {
      takeCounts(await api.runs({limit: 1}));
    } catch {
      // The link shows it.
    }
  }, 800);
}

function say(text: string): void {
  announcement.value = text;
}

let noticeTimer = 0;
export function tell(text: string): void {
  say(text);
  notice.value = text;
  window.clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => {
    notice.value = '';
  }, 12_000);
}

// Questions on the screen that nobody has answered here. When one is closed from elsewhere its form
// goes, and whoever was about to answer is told why.
export const unanswered = new Set<string>();

export function keyOf(question: Question): string {
  return `${question.run}/${question.id}`;
}

// What became of a question, as it was recorded.
export function outcomeWords(question: Question): string {
  const name = neutralLine(askedWords(question.header, question.question));
  if (question.state !== 'answered') return `${name}: no longer asked`;
  const by = question.answered_by ? ` by ${neutralLine(question.answered_by)}` : '';
  const reason = question.decision === 'deny' && !question.options.some(option => option.label === question.answer);
  const words = question.secret || question.answer === null || (question.decision && !reason) ? '' : `: ${neutralLine(question.answer).slice(0, 200)}`;
  return `${name}: already ${question.decision ? decisionWords(question.decision) : 'answered'}${by}${words}`;
}

function takeRun(run: Run): void {
  const before = runs.get(run.id);
  put(run);
  if (before?.state === run.state) return;
  refreshCounts();
  if (before && isOver(run.state)) say(`${run.title}: ${run.state}`);
}

function takeQuestion(question: Question): void {
  const key = keyOf(question);
  if (question.state === 'open') {
    const others = questions.value.filter(one => keyOf(one) !== key);
    if (others.length === questions.value.length) say(`Question: ${neutralLine(askedWords(question.header, question.question, 200))}`);
    heard?.set(key, question);
    setQuestions([...others, question]);
  } else {
    closeQuestion(question);
    if (unanswered.has(key)) tell(outcomeWords(question));
  }
}

export function take(messages: Message[]): void {
  let changed = false;
  for (const {id, event, data} of messages) {
    if (id !== '') revision = Number(id);
    if (event === 'run') {
      takeRun(JSON.parse(data) as Run);
      changed = true;
    } else if (event === 'question') {
      takeQuestion(JSON.parse(data) as Question);
    } else if (event === 'removed') {
      remove((JSON.parse(data) as {id: string}).id);
      refreshCounts();
      changed = true;
    } else if (event === 'resync') {
      reload();
    }
  }
  if (runs.size > keptRuns) forgetOldest();
  if (changed) scheduleDraw();
}

function forgetOldest(): void {
  const over = [...runs.values()].filter(run => isOver(run.state)).sort((a, b) => a.created_at - b.created_at);
  for (const run of over.slice(0, runs.size - keptRuns / 2)) runs.delete(run.id);
}

// Many changes, one drawing.
let drawing = false;
function scheduleDraw(): void {
  if (drawing) return;
  drawing = true;
  const draw = () => {
    drawing = false;
    runsVersion.value += 1;
  };
  setTimeout(draw, document.hidden ? 1000 : 120);
}

const stream = new EventStream({
  url: () => `${base}/stream`,
  lastId: () => String(revision),
  take,
  link: state => {
    link.value = state;
    if (state === 'denied') void connect();
  },
});

// A browser opens six connections to a server. Hidden tabs share one between them, so that many
// open tabs never keep the visible one waiting.
let releaseHidden: (() => void) | null = null;
function follow(): void {
  if (!known) return;
  if (!document.hidden) {
    releaseHidden?.();
    releaseHidden = null;
    stream.start();
    stream.hurry();
    return;
  }
  if (!navigator.locks) return;
  void navigator.locks.request('dragoman-hidden-tab', {ifAvailable: true}, async lock => {
    if (!lock) {
      if (document.hidden) stream.stop();
      return;
    }
    await new Promise<void>(resolve => {
      releaseHidden = resolve;
    });
  });
}

export async function begin(): Promise<void> {
  window.setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, 1000);
  document.addEventListener('visibilitychange', () => {
    now.value = Date.now();
    follow();
  });
  for (const sign of ['online', 'focus']) window.addEventListener(sign, hurryAll);
  effect(() => {
    const waiting = waitingCount.value;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    icon?.setAttribute('href', waiting > 0 ? waitingIcon : calmIcon);
  });
  effect(() => dropDrafts(new Set(questions.value.map(keyOf))));
  whenDenied(() => {
    stream.stop();
    link.value = 'denied';
    void connect();
  });
  await connect();
}

let connecting = false;
async function connect(): Promise<void> {
  if (connecting) return;
  connecting = true;
  for (let wait = 500; ; wait = Math.min(wait * 2, 10_000)) {
    try {
      info.value = await api.info();
      // Everything up to a revision first, then the stream from there on: nothing falls between.
      await Promise.all([loadOverview(), loadQuestions()]);
      break;
    } catch (error) {
      const denied = error instanceof ApiError && (error.status === 401 || error.status === 403);
      link.value = denied ? 'denied' : 'lost';
      await (denied ? lookedAt() : new Promise(resolve => window.setTimeout(resolve, wait)));
    }
  }
  connecting = false;
  if (link.value === 'denied') link.value = 'connecting';
  signedIn();
  follow();
}

// Who signs in does so with another tab, and comes back to this one.
function lookedAt(): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (document.hidden) return;
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
  });
}

// A login address leads to the runs; from there to where its code was pasted.
function signedIn(): void {
  const to = wanted.take();
  if (to !== null && place.value.pathname === '/') go(to, 'replace');
  else if (place.value.searchParams.has('login')) go('/', 'replace');
}
