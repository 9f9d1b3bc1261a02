// SPDX-License-Identifier: Apache-2.0
// One run, live: its conversation, its time, its changes, its bytes.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {type RunDetail, api, isAtWork, isOver, messageOf} from '../api';
import {RunFeed} from '../feed';
import {useShortcuts} from '../keys';
import {neutral, neutralLine} from '../model/neutral';
import {costWords, countWords, counted, elapsedWords, shortCount} from '../model/words';
import type {BlockContext} from '../parts/block';
import {Changes} from '../parts/changes';
import {Conversation, type Source} from '../parts/conversation';
import {Dialog} from '../parts/dialog';
import {FactsColumn, UsagePart, totalsOf} from '../parts/facts';
import {FindBar, FindButton, type Searched, useFind} from '../parts/find';
import {Icon} from '../parts/icon';
import {StatusLine} from '../parts/progress';
import {Dock} from '../parts/dock';
import {MessageBox, Unheard} from '../parts/message_box';
import {QuestionCard} from '../parts/question';
import {RawView} from '../parts/raw';
import {StatePill, stateWords} from '../parts/state';
import {StickyTop, Tabs} from '../parts/tabs';
import {Timeline} from '../parts/timeline';
import {toggleTools} from '../parts/tool';
import {go, place, useTitle, visits} from '../router';
import {announcement, link, now, questions, tell} from '../store';
import {readStretch} from '../stretch';

function CancelDialog({run, close}: {run: RunDetail; close: () => void}) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.cancel(run.id, reason.trim());
      announcement.value = 'Cancelled';
      close();
    } catch (problem) {
      setError(messageOf(problem));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Cancel this run?" close={close}>
      <form onSubmit={send}>
        <p>The agent and everything it started are stopped. What it has done stays.</p>
        <div class="field"><label for="cancel-reason">Reason (optional)</label><input id="cancel-reason" value={reason} onInput={e => setReason(e.currentTarget.value)} /></div>
        {error ? <p class="form-error" role="alert">{error}</p> : null}
        <div class="buttons">
          <button type="submit" class="button danger" disabled={busy}>{busy ? 'Stopping…' : 'Cancel the run'}</button>
          <button type="button" class="button" onClick={close}>Let it work</button>
        </div>
      </form>
    </Dialog>
  );
}

function Elapsed({run}: {run: RunDetail}) {
  if (isOver(run.state)) return <>{run.duration_ms === null ? '–' : elapsedWords(run.duration_ms)}</>;
  return <>{elapsedWords(now.value - (run.started_at ?? run.created_at))}</>;
}

async function interrupt(feed: RunFeed, run: RunDetail): Promise<void> {
  try {
    await api.interrupt(run.id);
    announcement.value = 'Interrupted';
    void feed.refresh();
  } catch (problem) {
    tell(messageOf(problem));
  }
}

function Head({feed, run, find, cancel}: {feed: RunFeed; run: RunDetail; find: () => void; cancel: () => void}) {
  const {story} = feed;
  void feed.version.value;
  const totals = totalsOf(story, run);
  const tokens = run.tokens ?? (totals.input !== null || totals.output !== null ? (totals.input ?? 0) + (totals.output ?? 0) : null);
  const over = isOver(run.state);
  const progress = over ? null : story.progress;
  return (
    <header class="run-head">
      <div class="run-head-line">
        <a class="icon-button" data-go="" href="/" aria-label="Back to the runs" title="Back to the runs"><Icon name="back" /></a>
        <div class="run-head-words">
          <h1 dir="auto" title={neutralLine(run.title)}>{neutralLine(run.title) || run.id}</h1>
          <p class="facts">
            <StatePill state={run.state} />
            <span>{neutralLine(run.label ?? run.agent)}</span>
            <span class="figure"><Elapsed run={run} /></span>
            {totals.cost !== null ? <span class="figure">{costWords(totals.cost)}</span> : null}
            {tokens !== null ? <span class="figure wide-only">{shortCount(tokens)} tokens</span> : null}
            {feed.link.value === 'lost' ? <span class="lost" role="status">connection lost, trying again</span> : null}
          </p>
        </div>
        <FindButton name="this run" find={find} />
        {over && run.text ? <a class="button" data-go="" href={`/new?again=${encodeURIComponent(run.id)}`} aria-label="Again" title="The same task once more"><Icon name="again" /><span>Again…</span></a> : null}
        {isAtWork(run) ? <button type="button" class="button" aria-label="Interrupt" title="End this turn; the run can go on" onClick={() => void interrupt(feed, run)}><Icon name="pause" /><span>Interrupt</span></button> : null}
        {over ? null : <button type="button" class="button" aria-label="Cancel" title="Cancel this run" onClick={cancel}><Icon name="stop" /><span>Cancel</span></button>}
      </div>
      {story.command?.title ? <p class="wxcode-header band" dir="auto">{neutralLine(story.command.title)}</p> : null}
      {progress ? <StatusLine progress={progress} /> : !over && story.activity ? <StatusLine progress={{status: 'in_progress', message: story.activity, percent: null}} /> : null}
    </header>
  );
}

function eventPath(id: string, seq: number): string {
  return `/runs/${encodeURIComponent(id)}?seq=${seq}`;
}

// To the newest event. An address that led to another one does not any more.
function latest(feed: RunFeed): void {
  const address = new URL(place.value);
  address.searchParams.delete('seq');
  if (address.href !== place.value.href) go(address.href, 'replace');
  void feed.latest();
}

// What was said is looked at where it arrives.
function sent(feed: RunFeed): void {
  void feed.refresh();
  latest(feed);
}

function Talk({feed, run, context, marked}: {feed: RunFeed; run: RunDetail; context: BlockContext; marked: number | null}) {
  const {story} = feed;
  const source: Source = {
    blocks: story.root.blocks, dropped: story.root.dropped, version: feed.version.value, following: feed.following, rate: feed.rate,
    canOlder: story.firstSeq > feed.first, loadingOlder: feed.loadingOlder.value, paused: feed.paused.value, reading: feed.reading,
    setFollowing: following => feed.follow(following),
    older: () => void feed.older(), latest: () => latest(feed), more: () => feed.more(), beginning: eventPath(run.id, feed.first),
  };
  const open = questions.value.filter(q => q.run === run.id);
  const working = !context.over && open.length === 0;
  return (
    <div class="talk">
      {source.canOlder || !run.text ? null : <div class="asked" dir="auto"><p class="hidden">The task</p><p class="plain">{neutral(run.text.slice(0, 20_000))}</p></div>}
      <Conversation source={source} context={context} marked={marked} />
      {working ? <p class="working" role="status"><span class="pulse" aria-hidden="true" />{run.waits === 'slot' ? 'Waits for a free slot' : neutralLine(story.activity).slice(0, 120) || 'At work'}</p> : null}
      {story.root.blocks.length === 0 && context.over ? <p class="empty">This run left no events.</p> : null}
      <Unheard run={run} />
      {run.hears === null && run.cannot_go_on && context.over ? <p class="note">This run cannot go on: {neutralLine(run.cannot_go_on)}</p> : null}
      {open.length > 0 || run.hears ? (
        <Dock label={open.length > 0 ? 'Open questions' : 'Your words'}>
          {open.slice(0, 3).map(q => <QuestionCard key={q.id} question={q} withRun={false} />)}
          {open.length > 3 ? <p class="notice"><a data-go="" href="/questions">{counted(open.length - 3, 'question')} more</a></p> : null}
          {run.hears ? <MessageBox key={run.id} run={run} sent={() => sent(feed)} /> : null}
        </Dock>
      ) : null}
    </div>
  );
}

// A long run is read from its end: what is drawn of it says where it begins.
function Stretch({feed}: {feed: RunFeed}) {
  void feed.version.value;
  const {firstSeq} = feed.story;
  if (firstSeq <= feed.first) return null;
  return (
    <p class="notice">
      From event {countWords(firstSeq)} on. {feed.loadingOlder.value ? 'Reading…' : <button type="button" class="link-button" onClick={() => void feed.older()}>Read what came before</button>}
    </p>
  );
}

function Panel({feed, run, view, context, marked}: {feed: RunFeed; run: RunDetail; view: string; context: BlockContext; marked: number | null}) {
  const {story} = feed;
  const version = feed.version.value;
  const link = (name: string) => `/runs/${encodeURIComponent(run.id)}?view=${name}`;
  const raw = useMemo(() => ({
    events: (from: number, limit: number) => readStretch(run.id, from, limit),
    bytes: (stream: string, offset: number, length: number) => api.raw(run.id, stream, offset, length),
    first: feed.first,
    last: Math.max(story.lastSeq, feed.first),
    path: (seq: number) => `${link('raw')}&seq=${seq}`,
    talk: (seq: number) => eventPath(run.id, seq),
  }), [run.id, view === 'raw' ? Math.floor(story.lastSeq / 100) : 0]);
  if (view === 'time') return <><Stretch feed={feed} /><Timeline story={story} version={version} live={!context.over} path={raw.talk} /><UsagePart story={story} detail={run} /></>;
  if (view === 'changes') return <><Stretch feed={feed} /><Changes story={story} live={!context.over} /></>;
  if (view === 'raw') return <RawView source={raw} seq={marked ?? Math.max(1, story.lastSeq)} />;
  if (view === 'details') return <FactsColumn story={story} detail={run} link={link} beginning={eventPath(run.id, feed.first)} />;
  return <Talk feed={feed} run={run} context={context} marked={marked} />;
}

function Aside({feed, run}: {feed: RunFeed; run: RunDetail}) {
  void feed.version.value;
  return (
    <aside class="run-aside" aria-label="Facts">
      <FactsColumn story={feed.story} detail={run} link={name => `/runs/${encodeURIComponent(run.id)}?view=${name}`} beginning={eventPath(run.id, feed.first)} />
    </aside>
  );
}

export function RunView({id}: {id: string}) {
  const {searchParams} = place.value;
  const view = searchParams.get('view') ?? 'talk';
  const seqText = searchParams.get('seq');
  const marked = seqText !== null && /^\d{1,15}$/.test(seqText) ? Number(seqText) : null;
  const [cancelling, setCancelling] = useState(false);
  const feed = useMemo(() => new RunFeed(id), [id]);
  feed.point(view === 'talk' ? marked : null, visits.value);
  const read = () => void feed.open();
  useEffect(() => {
    read();
    return () => feed.close();
  }, [feed]);
  const back = feed.error.value !== '' && link.value === 'live'; // the server is there again
  useEffect(() => {
    if (back) read();
  }, [back]);
  const run = feed.detail.value;
  // The address may have named the run by another word, such as an older link does.
  useEffect(() => {
    if (run && run.id !== id) go(`/runs/${encodeURIComponent(run.id)}${place.value.search}`, 'replace');
  }, [run?.id]);
  const over = run !== null && isOver(run.state);
  useTitle(run ? `${stateWords[run.state]}: ${neutralLine(run.title) || run.id}` : 'Run');
  const base = `/runs/${encodeURIComponent(id)}`;
  const context = useMemo<BlockContext>(() => ({runId: id, over, rawLink: seq => `${base}?view=raw&seq=${seq}`}), [id, over]);
  const names = ['talk', 'time', 'changes', 'raw', 'details'];
  const tabs = [
    {name: 'talk', words: 'Conversation', path: base}, {name: 'time', words: 'Timeline', path: `${base}?view=time`},
    {name: 'changes', words: 'Changes', path: `${base}?view=changes`}, {name: 'raw', words: 'Raw', path: `${base}?view=raw`},
    {name: 'details', words: 'Details', path: `${base}?view=details`},
  ];
  const current = names.includes(view) ? view : 'talk';
  const search = useFind(current === 'talk', base);
  const searched = useMemo<Searched>(() => ({
    name: 'this run', find: (words, from) => api.find(id, words, from), path: seq => eventPath(id, seq), last: () => feed.story.lastSeq, behind: () => feed.paused.value,
  }), [feed]);
  useShortcuts([
    {keys: '/', what: 'Find in this run', run: search.find},
    {keys: 'e', what: 'Open or close all tools', run: toggleTools},
    {keys: 'G', what: 'To the newest event', run: () => latest(feed)},
    {keys: 'g g', what: 'To the first event', run: () => go(eventPath(id, feed.first), 'replace')},
    {keys: 'x', what: 'Cancel this run', run: () => { if (run && !over) setCancelling(true); }},
    {keys: 'a', what: 'Answer the open question', run: () => document.querySelector<HTMLElement>('.question-card input, .question-card textarea')?.focus()},
    {keys: 'm', what: 'Say something to the agent', run: () => document.querySelector<HTMLElement>('.message-box textarea')?.focus()},
    {keys: 'i', what: 'Interrupt the agent: its turn ends, the run can go on', run: () => { if (run && isAtWork(run)) void interrupt(feed, run); }},
    {keys: 'u', what: 'Back to the runs', run: () => go('/')},
    ...tabs.slice(0, 4).map((tab, i) => ({keys: `v ${i + 1}`, what: `View: ${tab.words}`, run: () => go(tab.path, 'replace' as const)})),
  ], [feed, run?.id, over, current]);
  if (feed.error.value !== '') {
    return <main id="main" class="narrow trouble" tabIndex={-1}><h1>This run cannot be shown</h1><p class="form-error" role="alert">{feed.error.value}</p><div class="buttons"><button type="button" class="button" onClick={read}>Try again</button><a class="button" data-go="" href="/">Back to the runs</a></div></main>;
  }
  if (!run) return <main id="main" class="narrow" tabIndex={-1}><h1 class="hidden">Run</h1><p class="empty" aria-busy="true">Loading…</p></main>;
  return (
    <main id="main" class={search.open ? 'run finding' : 'run'} tabIndex={-1}>
      <StickyTop>
        <Head feed={feed} run={run} find={search.find} cancel={() => setCancelling(true)} />
        <Tabs tabs={tabs} current={current} label="Views of the run" />
        {search.open ? <FindBar searched={searched} over={over} close={search.close} /> : null}
      </StickyTop>
      <div class="run-columns">
        <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${current}`} class={`run-main view-${current}`}>
          <Panel feed={feed} run={run} view={current} context={context} marked={marked} />
        </div>
        {current === 'details' ? null : <Aside feed={feed} run={run} />}
      </div>
      {cancelling ? <CancelDialog run={run} close={() => setCancelling(false)} /> : null}
    </main>
  );
}
