// SPDX-License-Identifier: Apache-2.0
// The bar that finds words in a whole run or recording, not only in the stretch that is in the page.
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import type {FoundPage} from '../api';
import {Finder} from '../finder';
import {countWords} from '../model/words';
import {go} from '../router';
import {announcement} from '../store';
import {sought, useMarks} from './finding';
import {Icon} from './icon';

// The event at the upper end of what is seen.
function topSeq(): number {
  const top = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--top')) || 0;
  const block = [...document.querySelectorAll<HTMLElement>('.log > .block')].find(one => one.getBoundingClientRect().bottom > top);
  return Number(block?.dataset['seq'] ?? 0);
}

function wordsOf(finder: Finder, typed: string): string {
  const {count} = finder;
  if (typed.trim() === '' || finder.error.value !== '') return '';
  if (finder.words !== typed || (finder.busy.value && count === 0)) return '…';
  if (count === 0) return 'Nothing found';
  return `${countWords(finder.index.value + 1)} of ${countWords(count)}${finder.full.value ? '+' : ''}`;
}

// What is looked through.
export interface Searched {
  name: string;
  find: (words: string, from: number) => Promise<FoundPage>;
  path: (seq: number) => string;
  last: () => number; // the newest event that is known of
  behind: () => boolean; // there may be newer ones
}

// Whether the bar is open. It belongs to the conversation, at `base`; whoever closes it is back where he was.
export function useFind(talks: boolean, base: string): {open: boolean; find: () => void; close: () => void} {
  const [open, setOpen] = useState(false);
  const before = useRef<Element | null>(null); // what had the focus
  useEffect(() => {
    if (!talks) setOpen(false);
  }, [talks]);
  const find = () => {
    const field = document.getElementById('find');
    if (field instanceof HTMLInputElement) {
      field.focus();
      field.select();
      return;
    }
    before.current = document.activeElement;
    if (!talks) go(base, 'replace');
    setOpen(true);
  };
  const close = () => {
    setOpen(false);
    const back = before.current instanceof HTMLElement && before.current.isConnected && before.current !== document.body ? before.current : document.getElementById('main');
    back?.focus({preventScroll: true});
  };
  return {open: open && talks, find, close};
}

export function FindButton({name, find}: {name: string; find: () => void}) {
  return <button type="button" class="icon-button" aria-label={`Find in ${name}`} title={`Find in ${name} (/)`} onClick={find}><Icon name="search" /></button>;
}

export function FindBar({searched, over, close}: {searched: Searched; over: boolean; close: () => void}) {
  const {name} = searched;
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const finder = useMemo(() => new Finder(searched.find, spot => {
    sought.value = {...spot, words: finder.words};
    go(searched.path(spot.seq), 'replace');
  }), [searched]);
  const look = () => finder.search(typed, sought.peek()?.seq ?? topSeq());
  const count = wordsOf(finder, typed);
  useMarks(finder.words === typed ? typed : '');
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => () => {
    finder.close();
    sought.value = null;
  }, [finder]);
  useEffect(() => {
    if (finder.words === typed) return;
    const timer = window.setTimeout(look, 200);
    return () => window.clearTimeout(timer);
  }, [typed]);
  // A run that goes on: a stream that waits for its reader brings no news of it.
  useEffect(() => {
    if (over) {
      void finder.more();
      return;
    }
    let seen = searched.last();
    const timer = window.setInterval(() => {
      if (seen === searched.last() && !searched.behind()) return;
      seen = searched.last();
      void finder.more();
    }, 1_500);
    return () => window.clearInterval(timer);
  }, [finder, over]);
  // Said when somebody has searched or gone on, not whenever a line comes in.
  useEffect(() => {
    if (count !== '' && count !== '…') announcement.value = count;
  }, [finder.words, finder.index.value, count === '…']);
  const step = (by: number) => {
    if (finder.words === typed) finder.step(by);
    else void look();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const none = finder.count === 0;
  return (
    <form role="search" aria-label={`In ${name}`} class="find" onSubmit={event => event.preventDefault()} onKeyDown={keys}>
      <label for="find" class="hidden">Find in {name}</label>
      <input ref={input} id="find" type="text" enterkeyhint="search" autocomplete="off" autocapitalize="off" spellcheck={false} maxLength={200} placeholder={`Find in ${name}`}
        value={typed} onInput={event => setTyped(event.currentTarget.value)} />
      <span class="find-count figure">{count}</span>
      <button type="button" class="icon-button" aria-label="Previous place" title="Previous (Shift+Enter)" disabled={none} onClick={() => step(-1)}><Icon name="up" /></button>
      <button type="button" class="icon-button" aria-label="Next place" title="Next (Enter)" disabled={none} onClick={() => step(1)}><Icon name="down" /></button>
      <button type="button" class="icon-button" aria-label="Close the find bar" title="Close (Esc)" onClick={close}><Icon name="close" /></button>
      {finder.error.value ? <p class="form-error" role="alert">{finder.error.value}</p> : null}
    </form>
  );
}
