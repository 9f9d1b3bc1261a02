// SPDX-License-Identifier: Apache-2.0
// A recording of any dialect, dropped on the page: the server's library reads it, nothing is kept.
import {signal} from '@preact/signals';
import {useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import {type Parsed, api, messageOf} from '../api';
import {useShortcuts} from '../keys';
import {neutralLine} from '../model/neutral';
import {Story} from '../model/story';
import {findAmong} from '../model/times_said';
import {countWords, counted, sizeWords} from '../model/words';
import type {BlockContext} from '../parts/block';
import {Changes} from '../parts/changes';
import {Conversation, type Source} from '../parts/conversation';
import {FactsColumn} from '../parts/facts';
import {FindBar, FindButton, type Searched, useFind} from '../parts/find';
import {Icon} from '../parts/icon';
import {RawView} from '../parts/raw';
import {StickyTop, Tabs} from '../parts/tabs';
import {Timeline} from '../parts/timeline';
import {toggleTools} from '../parts/tool';
import {go, place, useTitle, visits} from '../router';
import {Turns} from '../turns';

const largest = 64 * 1024 * 1024;

interface Opened {
  name: string;
  file: Blob;
  parsed: Parsed;
  story: Story;
  reading: Source['reading'];
}

const opened = signal<Opened | null>(null);
const following = signal(false);

function tell(parsed: Parsed): Story {
  const story = new Story({maxBlocks: 1_000_000});
  parsed.events.forEach((event, i) => story.add(event, i + 1));
  return story;
}

function Drop() {
  const [over, setOver] = useState(false);
  return (
    <div class={over ? 'drop over' : 'drop'} onDragEnter={() => setOver(true)} onDragLeave={() => setOver(false)} onDrop={() => setOver(false)}>
      <Icon name="file" />
      <p><strong>{busy.value ? 'Reading…' : 'Drop a recording here'}</strong></p>
      <p class="note">Claude or Codex JSON lines, WXCODE Markdown, marker output, an envelope: the dialect is found. Up to 64 MB; nothing is stored.</p>
      <label class="button primary">Choose a file<input class="hidden" type="file" disabled={busy.value} onChange={e => { const file = e.currentTarget.files?.[0]; if (file) void openCapture(file); }} /></label>
      {problem.value ? <p class="form-error" role="alert">{problem.value}</p> : null}
    </div>
  );
}

const beginning = '/view?seq=1';

function latest(): void {
  const {searchParams} = place.value;
  if (searchParams.has('seq') && !searchParams.has('view')) go('/view', 'replace');
  following.value = true;
}

function close(): void {
  opened.value = null;
  go('/view');
}

function Shown({open}: {open: Opened}) {
  const {story, parsed, file} = open;
  const search = place.value.searchParams;
  const names = ['talk', 'time', 'changes', 'raw', 'details'];
  const view = names.includes(search.get('view') ?? '') ? (search.get('view') ?? 'talk') : 'talk';
  const seq = Number(search.get('seq') ?? '1') || 1;
  // An address that leads to an event leads away from the end.
  const led = useRef(0);
  if (search.has('seq') && led.current !== visits.value) following.value = false;
  led.current = visits.value;
  const path = (name: string) => (name === 'talk' ? '/view' : `/view?view=${name}`);
  const context = useMemo<BlockContext>(() => ({runId: null, over: true, rawLink: at => `/view?view=raw&seq=${at}`}), []);
  const raw = useMemo(() => ({
    events: async (from: number, limit: number) => parsed.events.slice(from - 1, from - 1 + limit).map((event, i) => ({seq: from + i, event})),
    bytes: async (_stream: string, offset: number, length: number) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
    first: 1,
    last: Math.max(1, parsed.events.length),
    path: (at: number) => `/view?view=raw&seq=${at}`,
    talk: (at: number) => `/view?seq=${at}`,
  }), [open]);
  const source: Source = {
    blocks: story.root.blocks, dropped: 0, version: 0, following: following.value, rate: 0, canOlder: false, loadingOlder: false, paused: false, reading: open.reading,
    setFollowing: value => { following.value = value; }, older: () => undefined, latest, more: () => undefined, beginning,
  };
  const {verdict} = parsed;
  const judged = verdict && {state: verdict.state ?? verdict.verdict ?? 'unknown', reasons: verdict.reasons ?? []};
  const facts = <FactsColumn story={story} detail={null} link={path} beginning={beginning} judged={judged} />;
  const left = Number(parsed.stats?.['events'] ?? 0) - parsed.events.length;
  const tabs = [['talk', 'Conversation'], ['time', 'Timeline'], ['changes', 'Changes'], ['raw', 'Raw'], ['details', 'Details']]
    .map(([name, words]) => ({name: name ?? '', words: words ?? '', path: path(name ?? '')}));
  const finding = useFind(view === 'talk', '/view');
  const searched = useMemo<Searched>(() => ({
    name: 'this recording', path: raw.talk, last: () => parsed.events.length, behind: () => false,
    find: async (words, from) => {
      await new Promise(resolve => setTimeout(resolve)); // a long one is read in turns, between which the page is alive
      return findAmong(parsed.events, words, from);
    },
  }), [open]);
  useShortcuts([
    {keys: '/', what: 'Find in this recording', run: finding.find},
    {keys: 'e', what: 'Open or close all tools', run: toggleTools},
    {keys: 'G', what: 'To the end', run: latest},
    {keys: 'g g', what: 'To the first event', run: () => go(beginning, 'replace')},
    {keys: 'u', what: 'Close the recording', run: close},
    ...tabs.slice(0, 4).map((tab, i) => ({keys: `v ${i + 1}`, what: `View: ${tab.words}`, run: () => go(tab.path, 'replace' as const)})),
  ], [open, view]);
  // Whoever has chosen a file goes on in it, not at a button that is gone.
  useLayoutEffect(() => document.getElementById('main')?.focus({preventScroll: true}), [open]);
  return (
    <main id="main" class={finding.open ? 'run finding' : 'run'} tabIndex={-1}>
      <StickyTop>
        <header class="run-head">
          <div class="run-head-line">
            <button type="button" class="icon-button" aria-label="Close the recording" onClick={close}><Icon name="back" /></button>
            <div class="run-head-words">
              <h1 dir="auto">{neutralLine(open.name)}</h1>
              <p class="facts"><span>{parsed.dialect}</span><span>{counted(parsed.events.length, 'event')}</span><span>{sizeWords(file.size)}</span></p>
            </div>
            <FindButton name="this recording" find={finding.find} />
          </div>
          {story.command?.title ? <p class="wxcode-header band" dir="auto">{neutralLine(story.command.title)}</p> : null}
        </header>
        <Tabs tabs={tabs} current={view} label="Views of the recording" />
        {finding.open ? <FindBar searched={searched} over close={finding.close} /> : null}
      </StickyTop>
      {left > 0 ? <p class="notice">The first {counted(parsed.events.length, 'event')} are shown, {countWords(left)} more are not. <code>dragoman show</code> has no such limit.</p> : null}
      <div class="run-columns">
        <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${view}`} class={`run-main view-${view}`}>
          {parsed.events.length === 0 && view !== 'details' ? <p class="empty">This file has no events.</p> : null}
          {view === 'talk' ? <div class="talk"><Conversation source={source} context={context} marked={search.has('seq') ? seq : null} /></div> : null}
          {view === 'time' && parsed.events.length > 0 ? <Timeline story={story} version={0} live={false} path={raw.talk} /> : null}
          {view === 'changes' && parsed.events.length > 0 ? <Changes story={story} live={false} /> : null}
          {view === 'raw' && parsed.events.length > 0 ? <RawView source={raw} seq={seq} /> : null}
          {view === 'details' ? facts : null}
        </div>
        {view === 'details' ? null : <aside class="run-aside" aria-label="Facts">{facts}</aside>}
      </div>
    </main>
  );
}

const busy = signal(false);
const problem = signal('');
const readings = new Turns(); // another file may be dropped while one is read

export async function openCapture(file: File): Promise<void> {
  const current = readings.begin();
  problem.value = '';
  opened.value = null;
  busy.value = false;
  go('/view');
  if (file.size > largest) {
    problem.value = `${neutralLine(file.name)} has ${sizeWords(file.size)}; up to 64 MB are read here. dragoman show reads any size.`;
    return;
  }
  busy.value = true;
  try {
    const parsed = await api.parse(file);
    if (!current()) return;
    following.value = false;
    opened.value = {name: file.name, file, parsed, story: tell(parsed), reading: {at: null}};
  } catch (error) {
    if (!current()) return;
    problem.value = messageOf(error);
  }
  busy.value = false;
}

// A file may be dropped on any view.
export function beginDropping(): void {
  const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  document.addEventListener('dragover', event => {
    if (carriesFiles(event)) event.preventDefault();
  });
  document.addEventListener('drop', event => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void openCapture(file);
  });
}

export function Viewer() {
  useTitle(opened.value ? neutralLine(opened.value.name) : 'View a recording');
  if (opened.value) return <Shown open={opened.value} />;
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>View a recording</h1></div>
      <Drop />
    </main>
  );
}
