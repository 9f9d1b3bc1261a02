// SPDX-License-Identifier: Apache-2.0
// The bytes an event was read from, in their neighbourhood.
import {useEffect, useRef, useState} from 'preact/hooks';
import {messageOf} from '../api';
import type {CanonicalEvent} from '../model/event';
import {neutral} from '../model/neutral';
import {sizeWords} from '../model/words';
import {go} from '../router';

export interface RawSource {
  events: (from: number, limit: number) => Promise<{seq: number; event: CanonicalEvent}[]>;
  bytes: (stream: string, offset: number, length: number) => Promise<Uint8Array>;
  first: number;
  last: number;
  path: (seq: number) => string;
  talk: (seq: number) => string; // the same event in the conversation
}

const page = 100;
const around = 600; // bytes shown before and after
const longest = 64 * 1024;

interface Excerpt {
  before: string;
  span: string;
  after: string;
  missing: number;
}

async function excerptOf(source: RawSource, event: CanonicalEvent): Promise<Excerpt> {
  const {stream, offset, length} = event.origin;
  const from = Math.max(0, offset - around);
  const shown = Math.min(length, longest);
  const bytes = await source.bytes(stream, from, offset - from + shown + around);
  const text = (part: Uint8Array) => neutral(new TextDecoder().decode(part));
  const start = offset - from;
  return {
    before: text(bytes.subarray(0, start)),
    span: text(bytes.subarray(start, start + shown)),
    after: shown < length ? '' : text(bytes.subarray(start + shown)),
    missing: length - shown,
  };
}

function Bytes({source, seq, event}: {source: RawSource; seq: number; event: CanonicalEvent}) {
  const [excerpt, setExcerpt] = useState<Excerpt | null>(null);
  const [error, setError] = useState('');
  const {origin} = event;
  const made = origin.length === 0; // by dragoman, such as the end of the run: it stands in no line
  useEffect(() => {
    let current = true;
    setError('');
    setExcerpt(null);
    excerptOf(source, event).then(found => current && setExcerpt(found), (problem: unknown) => current && setError(messageOf(problem)));
    return () => {
      current = false;
    };
  }, [source, origin.stream, origin.offset, origin.length]);
  return (
    <div class="raw-bytes">
      <p class="facts">
        <span>{origin.stream}</span>{made ? <span>after byte {origin.offset}, without bytes of its own</span> : <><span>bytes {origin.offset}–{origin.offset + origin.length}</span><span>line {origin.line}</span></>}
        <span>{origin.dialect}{origin.via ? ` in ${origin.via}` : ''}</span><span>{origin.channel}</span>
        <a data-go="" href={source.talk(seq)}>in the conversation</a>
      </p>
      {error ? <p class="notice">{error}</p> : null}
      {excerpt ? (
        <pre tabIndex={0} role="group" aria-label="Recorded bytes" class="raw-text">
          <span class="raw-around">{excerpt.before}</span><mark>{excerpt.span}</mark><span class="raw-around">{excerpt.after}</span>
          {excerpt.missing > 0 ? `\n[… ${sizeWords(excerpt.missing)} more]` : ''}
        </pre>
      ) : null}
      <h2>As an event</h2>
      <pre tabIndex={0} role="group" aria-label="Event" class="raw-text">{neutral(JSON.stringify(event, null, 2).slice(0, longest))}</pre>
    </div>
  );
}

export function RawView({source, seq}: {source: RawSource; seq: number}) {
  const [events, setEvents] = useState<{seq: number; event: CanonicalEvent}[]>([]);
  const [error, setError] = useState('');
  // The last page is a full one, too.
  const begin = Math.max(source.first, Math.min(Math.floor((seq - 1) / page) * page + 1, source.last - page + 1));
  useEffect(() => {
    let current = true;
    source.events(begin, page).then(list => {
      if (!current) return;
      setEvents(list);
      setError('');
    }, (problem: unknown) => current && setError(messageOf(problem)));
    return () => {
      current = false;
    };
  }, [source, begin, Math.min(source.last, begin + page)]);
  const list = useRef<HTMLUListElement>(null);
  // The chosen one is in sight, and the page itself does not move.
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current=true]');
    if (!list.current || !current) return;
    const place = current.offsetTop - list.current.offsetTop;
    const {scrollTop, clientHeight} = list.current;
    if (place < scrollTop || place > scrollTop + clientHeight - 30) list.current.scrollTop = place - clientHeight / 3;
  }, [seq, events]);
  const chosen = events.find(e => e.seq === seq) ?? events[0];
  const turn = (to: number) => go(source.path(Math.max(source.first, Math.min(source.last, to))), 'replace');
  const keys = (event: KeyboardEvent) => {
    const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (by === undefined || !chosen) return;
    event.preventDefault();
    turn(chosen.seq + by);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.raw-list [aria-current=true]')?.focus());
  };
  return (
    <div class="raw">
      <div class="raw-list" onKeyDown={keys}>
        <p class="raw-pages">
          <button type="button" class="button" disabled={begin <= source.first} onClick={() => turn(begin - page)}>Earlier</button>
          <span class="note">{begin}–{Math.min(source.last, begin + page - 1)} of {source.last}</span>
          <button type="button" class="button" disabled={begin + page > source.last} onClick={() => turn(begin + page)}>Later</button>
        </p>
        {error ? <p class="form-error" role="alert">{error}</p> : null}
        <ul ref={list} aria-label="Events">
          {events.map(({seq: number, event}) => (
            <li key={number}>
              <button type="button" aria-current={number === chosen?.seq} onClick={() => turn(number)}>
                <span class="raw-seq">{number}</span><span class="raw-kind">{event.kind}</span><span class="raw-span">{event.origin.offset}+{event.origin.length}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      {chosen ? <Bytes source={source} seq={chosen.seq} event={chosen.event} /> : <p class="empty">No events.</p>}
    </div>
  );
}
