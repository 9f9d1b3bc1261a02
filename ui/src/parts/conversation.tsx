// SPDX-License-Identifier: Apache-2.0
// The run as a chat. Of all blocks a stretch is in the page; it moves with the reader. At the end it
// follows what comes.
import {useSignal} from '@preact/signals';
import type {RefObject} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import type {Block} from '../model/blocks';
import {counted} from '../model/words';
import {type BlockContext, BlockView} from './block';
import {Icon} from './icon';

export interface Source {
  blocks: Block[];
  dropped: number; // blocks before the first of them that are not kept
  version: number;
  following: boolean;
  rate: number;
  canOlder: boolean;
  loadingOlder: boolean;
  paused: boolean;
  setFollowing: (following: boolean) => void;
  older: () => void;
  latest: () => void;
  more: () => void;
}

const stretch = 160; // blocks in the page
const flood = 60; // while they come faster than anybody reads
const shift = 50;

interface Anchor {
  key: string;
  top: number;
}

function topBlock(log: HTMLElement): Anchor | null {
  for (const child of log.children) {
    const box = child.getBoundingClientRect();
    if (box.bottom > 160 && child instanceof HTMLElement && child.dataset['key']) return {key: child.dataset['key'], top: box.top};
  }
  return null;
}

function atBottom(): boolean {
  return document.documentElement.scrollHeight - window.scrollY - window.innerHeight < 48;
}

function useWindow(source: Source, log: RefObject<HTMLDivElement | null>, marked: number | null) {
  // Where the stretch begins, counted from the run's first block, so that dropping the oldest moves nothing.
  const start = useSignal(0);
  const anchor = useRef<Anchor | null>(null);
  const lastY = useRef(0);
  const total = source.dropped + source.blocks.length;
  const size = source.following && source.rate > 1000 ? flood : stretch;
  const placed = useRef(false);
  if (!placed.current && source.blocks.length > 0) {
    placed.current = true;
    if (marked !== null) {
      const at = source.blocks.findLastIndex(block => block.seq <= marked);
      start.value = source.dropped + Math.max(0, at - 40);
    } else if (!source.following) {
      start.value = source.dropped;
    }
  }
  const from = source.following ? Math.max(source.dropped, total - size) : Math.min(Math.max(start.value, source.dropped), total);
  const to = source.following ? total : Math.min(total, from + stretch);

  const scrolled = () => {
    const y = window.scrollY;
    const up = y < lastY.current - 1;
    lastY.current = y;
    const element = log.current;
    if (!element) return;
    if (source.following) {
      if (up && !atBottom()) {
        start.value = from;
        source.setFollowing(false);
      }
      return;
    }
    const box = element.getBoundingClientRect();
    if (box.top > -800 && from > source.dropped) {
      anchor.current = topBlock(element);
      start.value = Math.max(source.dropped, from - shift);
    } else if (box.top > -800 && from <= source.dropped && up && source.canOlder && !source.loadingOlder) {
      anchor.current = topBlock(element);
      source.older();
    } else if (box.bottom < window.innerHeight + 800 && to < total) {
      anchor.current = topBlock(element);
      start.value = from + shift;
    } else if (to >= total && source.paused && atBottom()) {
      source.more();
    } else if (to >= total && !up && atBottom()) {
      source.setFollowing(true);
    }
  };
  const handler = useRef(scrolled);
  handler.current = scrolled;
  useEffect(() => {
    let frame = 0;
    const later = () => {
      if (frame === 0) {
        frame = requestAnimationFrame(() => {
          frame = 0;
          handler.current();
        });
      }
    };
    window.addEventListener('scroll', later, {passive: true});
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
    };
  }, []);

  // What is being read stays where it is, whatever was put in above it.
  useLayoutEffect(() => {
    if (source.following) {
      window.scrollTo(0, document.documentElement.scrollHeight);
      lastY.current = window.scrollY;
      return;
    }
    const held = anchor.current;
    anchor.current = null;
    if (!held) return;
    const element = log.current?.querySelector(`[data-key="${held.key}"]`);
    if (element) window.scrollBy(0, element.getBoundingClientRect().top - held.top);
    lastY.current = window.scrollY;
  });
  return {from, to, total};
}

export function Conversation({source, context, marked}: {source: Source; context: BlockContext; marked: number | null}) {
  const log = useRef<HTMLDivElement>(null);
  const {from, to, total} = useWindow(source, log, marked);
  const shown = source.blocks.slice(from - source.dropped, to - source.dropped);
  const mark = marked === null ? null : source.blocks.findLast(block => block.seq <= marked);
  useEffect(() => {
    if (mark) document.querySelector(`[data-key="${mark.key}"]`)?.scrollIntoView({block: 'center'});
  }, [mark?.key]);
  const behind = !source.following && (to < total || source.paused);
  return (
    <>
      {source.loadingOlder ? <p class="quiet" role="status">Reading what came before…</p> : null}
      {!source.loadingOlder && from <= source.dropped && source.canOlder ? (
        <button type="button" class="link-button older" onClick={source.older}>Show what came before</button>
      ) : null}
      <div ref={log} class="log" role="log" aria-label="Conversation" aria-live="off">
        {shown.map(block => <BlockView key={block.key} block={block} version={block.version} context={context} marked={block === mark} />)}
      </div>
      {!source.following && (behind || !context.over) ? (
        <button type="button" class="jump" onClick={source.latest}>
          <Icon name="down" /><span>{behind && total > to ? `${counted(total - to, 'newer block')}` : 'Latest'}</span>
        </button>
      ) : null}
    </>
  );
}
