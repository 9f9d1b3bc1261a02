// SPDX-License-Identifier: Apache-2.0
// Every run: those that need somebody first, then those that run, then what is over.
import {useComputed} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import {type Run, type State, api, isOver, messageOf, states} from '../api';
import {useShortcuts} from '../keys';
import {neutralLine} from '../model/neutral';
import {briefElapsed, costWords, counted, elapsedWords, reasonWords, shortCount} from '../model/words';
import {Icon} from '../parts/icon';
import {Bar} from '../parts/progress';
import {Ago, StateDot, stateWords} from '../parts/state';
import {VirtualList} from '../parts/virtual';
import {go, place, useTitle} from '../router';
import {counts, info, link, loadOverview, now, putRuns, questions, runs, runsVersion} from '../store';

type Row = {key: string; height: number} & ({head: string; count: number} | {run: Run});

const rowHeight = 68;
const headHeight = 44;

function groupOf(run: Run): number {
  if (run.state === 'waiting' || run.open_questions > 0) return 0;
  return isOver(run.state) ? 2 : 1;
}

// `hits`: what the server found; it also looks where the page cannot.
function matches(run: Run, state: string, q: string, hits: Set<string>): boolean {
  if (state !== '' && run.state !== state) return false;
  if (q === '' || hits.has(run.id)) return true;
  const words = `${run.title} ${run.agent} ${run.summary ?? ''} ${run.id} ${run.label ?? ''} ${run.working_dir ?? ''}`.toLowerCase();
  return q.toLowerCase().split(/\s+/).every(word => words.includes(word));
}

function rowsOf(list: Run[]): Row[] {
  const groups: Run[][] = [[], [], []];
  for (const run of list) groups[groupOf(run)]?.push(run);
  const rows: Row[] = [];
  ['Needs you', 'Running', 'Finished'].forEach((head, i) => {
    const group = groups[i] ?? [];
    if (group.length === 0) return;
    group.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
    rows.push({key: head, height: headHeight, head, count: group.length});
    for (const run of group) rows.push({key: run.id, height: rowHeight, run});
  });
  return rows;
}

// The line below the title: what it waits for, does, or came to.
function lineOf(run: Run): string {
  if (run.waiting_for) return `${questions.value.some(q => q.run === run.id && q.kind === 'blocked') ? 'blocked' : 'waits for'}: ${run.waiting_for}`;
  if (!isOver(run.state)) return run.progress?.activity || run.summary || (run.state === 'queued' ? 'in the queue' : 'at work');
  // That its program ended with exit code 0 explains nothing then.
  if (run.reason && ['blocked', 'unanswered', 'incomplete'].includes(run.reason)) return reasonWords(run.reason);
  return run.summary || (run.reason ? reasonWords(run.reason) : '');
}

function Clock({ms}: {ms: number}) {
  return <span class="figure"><span class="wide-only">{elapsedWords(ms)}</span><span class="phone-only">{briefElapsed(ms)}</span></span>;
}

function Elapsed({run}: {run: Run}) {
  if (isOver(run.state)) {
    return (
      <>
        {run.duration_ms === null ? <span class="figure">–</span> : <Clock ms={run.duration_ms} />}
        <Ago at={run.completed_at ?? run.created_at} />
      </>
    );
  }
  const since = run.started_at ?? run.created_at;
  return <><Clock ms={now.value - since} /><span class="note">{run.started_at === null ? 'queued' : 'so far'}</span></>;
}

function RunRow({run, index}: {run: Run; index: number}) {
  const percent = run.progress?.percent ?? null;
  const end = isOver(run.state) && run.state !== 'completed' ? stateWords[run.state] : '';
  const money = run.cost_usd !== null ? costWords(run.cost_usd) : '';
  return (
    <a class={`run-row run-${run.state}`} data-go="" data-index={index} href={`/runs/${encodeURIComponent(run.id)}`}>
      <StateDot state={run.state} />
      <span class="run-words">
        <span class="run-title" dir="auto" title={neutralLine(run.title)}>{neutralLine(run.title) || run.id}</span>
        <span class="run-line" dir="auto">{end ? <span class="run-part phone-only">{end}</span> : null}<span class="run-part">{neutralLine(run.label ?? run.agent)}</span>{neutralLine(lineOf(run))}</span>
      </span>
      <span class="run-progress">
        {percent !== null && percent > 0 && !isOver(run.state) ? <Bar percent={percent} label={`Progress of ${neutralLine(run.title)}`} /> : null}
        {end ? <span class="note">{end}</span> : null}
      </span>
      <span class="run-figures run-cost">
        {money ? <span class="figure">{money}</span> : null}
        {run.tokens !== null ? <span class="note">{shortCount(run.tokens)} tok</span> : null}
      </span>
      <span class="run-figures"><Elapsed run={run} /></span>
    </a>
  );
}

function Filters({state, q, setState, setQ, input}: {state: string; q: string; setState: (s: string) => void; setQ: (q: string) => void; input: preact.RefObject<HTMLInputElement | null>}) {
  const total = states.reduce((sum, s) => sum + (counts.value[s] ?? 0), 0);
  const chip = (value: string, words: string, count: number) => (
    <button key={value} type="button" class="filter" aria-pressed={state === value} onClick={() => setState(state === value ? '' : value)}>
      {words} <span class="filter-count">{shortCount(count)}</span>
    </button>
  );
  return (
    <div class="filters">
      <div class="filter-field">
        <Icon name="search" />
        <input ref={input} type="search" aria-label="Filter runs" placeholder="Filter runs" value={q} onInput={e => setQ(e.currentTarget.value)} />
      </div>
      <div class="filter-chips" role="group" aria-label="State">
        {chip('', 'All', total)}
        {states.filter(s => (counts.value[s] ?? 0) > 0 || s === state).map(s => chip(s, stateWords[s], counts.value[s] ?? 0))}
      </div>
    </div>
  );
}

function Welcome() {
  return (
    <div class="welcome">
      <h2>No runs yet</h2>
      <p>Every agent that dragoman starts shows up here as it works.</p>
      <p><a class="button primary" data-go="" href="/new">Start a task</a> <a class="button" data-go="" href="/view">Look at a recording</a></p>
      <p class="note">From a terminal: <code>dragoman run --agent claude "Fix the failing test"</code></p>
    </div>
  );
}

export function Overview() {
  useTitle('Runs');
  const search = place.value.searchParams;
  const state = search.get('state') ?? '';
  const q = search.get('q') ?? '';
  const [selected, setSelected] = useState({index: -1, key: ''});
  const [error, setError] = useState('');
  const [ready, setReady] = useState(runs.size > 0);
  const again = error !== '' && link.value === 'live'; // the server is back
  const next = useRef<string | null>(null);
  const hits = useRef(new Set<string>());
  const busy = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const show = (s: string, text: string) => {
    const query = new URLSearchParams();
    if (s !== '') query.set('state', s);
    if (text !== '') query.set('q', text);
    go(query.size > 0 ? `/?${query}` : '/', 'replace');
  };
  const setState = (s: string) => show(s, q);
  const setQ = (text: string) => show(state, text);

  // Another filter, another list from the server; what is known is shown at once.
  useEffect(() => {
    let current = true;
    next.current = null;
    hits.current = new Set();
    const timer = window.setTimeout(async () => {
      try {
        if (state === '' && q === '') {
          const cursor = await loadOverview();
          if (current) next.current = cursor;
        } else {
          const page = await api.runs({state, q, limit: 100});
          if (!current) return;
          for (const run of page.runs) hits.current.add(run.id);
          putRuns(page.runs);
          next.current = page.next;
        }
        if (current) setError('');
      } catch (problem) {
        if (current) setError(messageOf(problem));
      }
      if (current) setReady(true);
    }, q === '' ? 0 : 200);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [state, q, again]);

  const more = async () => {
    if (busy.current || next.current === null) return;
    busy.current = true;
    const found = hits.current; // of this filter
    try {
      const page = await api.runs({state, q, limit: 200, before: next.current});
      if (found === hits.current) next.current = page.next;
      for (const run of page.runs) found.add(run.id);
      putRuns(page.runs);
    } catch {
      // Scrolling tries again.
    }
    busy.current = false;
  };

  const version = useComputed(() => runsVersion.value).value;
  const rows = useRows(version, state, q, hits.current);
  const step = (by: number) => {
    // From the run that has the focus, wherever the list has moved it meanwhile.
    const focused = document.activeElement?.closest<HTMLElement>('[data-index]');
    let at = focused ? Number(focused.dataset['index']) : rows.findIndex(row => row.key === selected.key);
    do at += by; while ('head' in (rows[at] ?? {}));
    const row = rows[at];
    if (row) setSelected({index: at, key: row.key});
  };
  useEffect(() => {
    if (selected.index >= 0) requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-index="${selected.index}"]`)?.focus({preventScroll: true}));
  }, [selected]);
  useShortcuts([
    {keys: 'j', what: 'Next run', run: () => step(1)},
    {keys: 'k', what: 'Previous run', run: () => step(-1)},
    {keys: '/', what: 'Filter runs', run: () => input.current?.focus()},
  ], [rows, selected]);

  return (
    <main id="main" class="overview" tabIndex={-1}>
      <div class="page-head">
        <h1>Runs</h1>
        <a class="button primary" data-go="" href="/new"><Icon name="plus" /><span>New task</span></a>
      </div>
      {info.value?.demo ? <p class="notice">This is the demo: recordings play as if they were live. Answer the question to see an agent go on.</p> : null}
      <Filters state={state} q={q} setState={setState} setQ={setQ} input={input} />
      {error ? <p class="form-error" role="alert">{error}</p> : null}
      {rows.length > 0 ? (
        <VirtualList rows={rows} label="Runs" reveal={selected.index} nearEnd={more}
          draw={(row, i) => ('head' in row ? <h2 class="group-head">{row.head} <span class="note">{groupCount(row, state, q)}</span></h2> : <RunRow run={row.run} index={i} />)} />
      ) : ready && !error ? (state === '' && q === '' ? <Welcome /> : <p class="empty">No run fits.</p>) : <p class="empty" aria-busy="true">{error ? '' : 'Loading…'}</p>}
    </main>
  );
}

// Of what is over only a part is known to the page; the server knows how many there are.
function groupCount(row: {head: string; count: number}, state: string, q: string): string {
  if (row.head !== 'Finished' || q !== '') return counted(row.count, 'run');
  const over = (['completed', 'failed', 'cancelled', 'timeout'] as State[]).filter(s => state === '' || s === state);
  const total = over.reduce((sum, s) => sum + (counts.value[s] ?? 0), 0);
  return counted(Math.max(total, row.count), 'run');
}

function useRows(version: number, state: string, q: string, hits: Set<string>): Row[] {
  const cache = useRef<{key: string; rows: Row[]}>({key: '', rows: []});
  const key = `${version} ${state} ${q}`;
  if (cache.current.key !== key) cache.current = {key, rows: rowsOf([...runs.values()].filter(run => matches(run, state, q, hits)))};
  return cache.current.rows;
}
