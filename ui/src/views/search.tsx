// SPDX-License-Identifier: Apache-2.0
import {useEffect, useRef, useState} from 'preact/hooks';
import {type Run, api, messageOf} from '../api';
import {neutralLine} from '../model/neutral';
import {agoWords, counted} from '../model/words';
import {StateDot} from '../parts/state';
import {go, place} from '../router';
import {now} from '../store';

interface Hit {
  run: Run;
  seq: number | null;
  excerpt: string;
}

// The words that were looked for, marked where they stand.
function Marked({text, q}: {text: string; q: string}) {
  const words = q.toLowerCase().split(/\s+/).filter(word => word.length > 1);
  if (words.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi');
  return <>{text.split(pattern).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

export function Search() {
  const [q, setQ] = useState(place.value.searchParams.get('q') ?? '');
  const [hits, setHits] = useState<Hit[] | null>(null);
  const [error, setError] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const text = q.trim();
    go(text === '' ? '/search' : `/search?q=${encodeURIComponent(text)}`, 'replace');
    if (text === '') {
      setHits(null);
      return;
    }
    let current = true;
    const timer = window.setTimeout(() => {
      api.search(text, 50).then(
        found => { if (current) { setHits(found.hits); setError(''); } },
        (problem: unknown) => { if (current) setError(messageOf(problem)); });
    }, 200);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [q]);
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>Search</h1></div>
      <form role="search" onSubmit={event => event.preventDefault()}>
        <div class="field"><label for="q" class="hidden">Search in all runs</label>
          <input ref={input} id="q" type="search" class="big" placeholder="Words of a task, an answer, a summary" value={q} onInput={e => setQ(e.currentTarget.value)} /></div>
      </form>
      {error ? <p class="form-error" role="alert">{error}</p> : null}
      {hits ? <p class="note" role="status">{hits.length === 0 ? 'Nothing found.' : counted(hits.length, 'hit')}</p> : null}
      <ul class="hits">
        {(hits ?? []).map((hit, i) => (
          <li key={i}>
            <a class="hit" data-go="" href={`/runs/${encodeURIComponent(hit.run.id)}${hit.seq ? `?seq=${hit.seq}` : ''}`}>
              <span class="hit-head"><StateDot state={hit.run.state} /><span class="run-title" dir="auto">{neutralLine(hit.run.title)}</span><span class="note">{agoWords(hit.run.created_at, now.value)}</span></span>
              <span class="hit-text" dir="auto"><Marked text={neutralLine(hit.excerpt)} q={q} /></span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}
