// SPDX-License-Identifier: Apache-2.0
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {type Run, api, messageOf} from '../api';
import {neutralLine} from '../model/neutral';
import {counted} from '../model/words';
import {Ago, StateDot} from '../parts/state';
import {go, place, useTitle} from '../router';
import {link} from '../store';

const most = 50;

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
  useTitle('Search');
  const q = place.value.searchParams.get('q') ?? '';
  const setQ = (text: string) => go(text === '' ? '/search' : `/search?q=${encodeURIComponent(text)}`, 'replace');
  const [hits, setHits] = useState<Hit[] | null>(null);
  const [error, setError] = useState('');
  const again = error !== '' && link.value === 'live'; // the server is back
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []); // before the next key
  useEffect(() => {
    const text = q.trim();
    if (text === '') {
      setHits(null);
      return;
    }
    let current = true;
    const timer = window.setTimeout(() => {
      api.search(text, most).then(
        found => { if (current) { setHits(found.hits); setError(''); } },
        (problem: unknown) => { if (current) setError(messageOf(problem)); });
    }, 200);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [q, again]);
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>Search</h1></div>
      <form role="search" class="form" onSubmit={event => event.preventDefault()}>
        <div class="field"><label for="q" class="hidden">Search in all runs</label>
          <input ref={input} id="q" type="search" class="big" placeholder="Words of a task, an answer, a summary" value={q} onInput={e => setQ(e.currentTarget.value)} /></div>
        {error ? <p class="form-error" role="alert">{error}</p> : null}
        {hits && !error ? <p class="note" role="status">{hits.length === 0 ? 'Nothing found.' : `${counted(hits.length, 'run')}${hits.length >= most ? ', the newest that fit' : ''}`}</p> : null}
      </form>
      <ul class="hits">
        {(hits ?? []).map((hit, i) => (
          <li key={i}>
            <a class="hit" data-go="" href={`/runs/${encodeURIComponent(hit.run.id)}${hit.seq ? `?seq=${hit.seq}` : ''}`}>
              <span class="hit-head"><StateDot state={hit.run.state} /><span class="run-title" dir="auto">{neutralLine(hit.run.title)}</span><Ago at={hit.run.created_at} /></span>
              <span class="hit-text" dir="auto"><Marked text={neutralLine(hit.excerpt)} q={q} /></span>
            </a>
          </li>
        ))}
      </ul>
    </main>
  );
}
