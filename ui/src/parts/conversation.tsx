// SPDX-License-Identifier: Apache-2.0
// The run as a chat. Of all blocks a stretch is in the page; it moves with the reader. At the end it
// follows what comes.
import {useSignal} from '@preact/signals';
import type {RefObject} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import type {Block} from '../model/blocks';
import {Hold} from '../model/hold';
import {wayTo} from '../model/way';
import {visits} from '../router';
import {type BlockContext, BlockView} from './block';
import {sought, useLead} from './finding';
import {Icon} from './icon';

// A block, and where it stands in the window.
export interface Anchor {
  key: string;
  top: number;
}

export interface Source {
  blocks: Block[];
  dropped: number; // blocks before the first of them that are not kept
  version: number;
  following: boolean;
  rate: number;
  canOlder: boolean;
  loadingOlder: boolean;
  paused: boolean;
  reading: {at: Anchor | null}; // kept while another view is looked at
  setFollowing: (following: boolean) => void;
  older: () => void;
  latest: () => void;
  more: () => void;
  beginning: string; // the address of the first event
}

const stretch = 160; // blocks in the page
const flood = 60; // while they come faster than anybody reads
const shift = 50;

function topBlock(log: HTMLElement): Anchor | null {
  for (const child of log.children) {
    const box = child.getBoundingClientRect();
    if (box.bottom > 160 && child instanceof HTMLElement && child.dataset['key']) return {key: child.dataset['key'], top: box.top};
  }
  return null;
}

// How far the end of the page is below the window.
function below(): number {
  return document.documentElement.scrollHeight - window.scrollY - window.innerHeight;
}

function atBottom(): boolean {
  return below() < 48;
}

function useWindow(source: Source, log: RefObject<HTMLDivElement | null>, marked: number | null, mark: Block | undefined) {
  // Where the stretch begins, counted from the run's first block, so that dropping the oldest moves nothing.
  const start = useSignal(0);
  const anchor = useRef<Anchor | null>(null);
  const hold = useRef(new Hold());
  const total = source.dropped + source.blocks.length;
  const size = source.following && source.rate > 1000 ? flood : stretch;
  const placed = useRef<{block: Block; marked: number | null; spot: unknown; visit: number} | null>(null); // what it was placed for
  const back = placed.current === null && marked === null ? source.reading.at : null;
  const at = marked !== null ? source.blocks.findLastIndex(block => block === mark)
    : Math.max(0, source.blocks.findIndex(block => String(block.key) === back?.key));
  const target = marked === null && placed.current !== null ? undefined : source.blocks[at];
  const last = placed.current;
  if (target && (last?.block !== target || last.marked !== marked || last.spot !== sought.value || last.visit !== visits.value)) {
    placed.current = {block: target, marked, spot: sought.value, visit: visits.value};
    // Where it stands in the stretch already, that one stays.
    const there = last !== null && source.dropped + at >= start.value && source.dropped + at < start.value + stretch;
    if (!source.following && !there) {
      start.value = source.dropped + Math.max(0, at - 40);
      anchor.current = back;
    }
  }
  const from = source.following ? Math.max(source.dropped, total - size) : Math.min(Math.max(start.value, source.dropped), total);
  const to = source.following ? total : Math.min(total, from + stretch);

  // The reader has moved up: nothing may pull the page down again, however fast lines come in.
  const letGo = (): boolean => {
    const up = hold.current.letsGo(window.scrollY, below());
    if (up) {
      start.value = from;
      source.setFollowing(false);
    }
    return up;
  };

  const scrolled = () => {
    if (source.following) {
      letGo();
      return;
    }
    const up = hold.current.moved(window.scrollY);
    const element = log.current;
    if (!element) return;
    source.reading.at = topBlock(element);
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
  // The wheel says it before the page has moved. Otherwise a line that comes in between the two would
  // take the page back to its end.
  const wheeled = (event: WheelEvent) => {
    if (!source.following || event.ctrlKey || event.deltaY >= 0 || window.scrollY === 0) return;
    start.value = from;
    source.setFollowing(false);
  };
  const handler = useRef({scrolled, wheeled});
  handler.current = {scrolled, wheeled};
  useEffect(() => {
    let frame = 0;
    const later = () => {
      if (frame === 0) {
        frame = requestAnimationFrame(() => {
          frame = 0;
          handler.current.scrolled();
        });
      }
    };
    const turned = (event: WheelEvent) => handler.current.wheeled(event);
    window.addEventListener('scroll', later, {passive: true});
    window.addEventListener('wheel', turned, {passive: true});
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('wheel', turned);
    };
  }, []);

  // What is being read stays where it is, whatever was put in above it.
  useLayoutEffect(() => {
    if (source.following) {
      anchor.current = null;
      if (letGo()) return;
      window.scrollTo(0, document.documentElement.scrollHeight);
      hold.current.putToEnd(window.scrollY);
      return;
    }
    hold.current.release();
    const held = anchor.current;
    if (!source.loadingOlder) anchor.current = null; // what it waits for is still to come
    if (!held) return;
    const element = log.current?.querySelector(`[data-key="${held.key}"]`);
    if (element) window.scrollBy(0, element.getBoundingClientRect().top - held.top);
    hold.current.moved(window.scrollY);
  });
  return {from, to, total};
}

export function Conversation({source, context, marked}: {source: Source; context: BlockContext; marked: number | null}) {
  const log = useRef<HTMLDivElement>(null);
  const way = marked === null ? [] : wayTo(source.blocks, marked);
  const mark = way[0];
  const {from, to, total} = useWindow(source, log, marked, mark);
  const shown = source.blocks.slice(from - source.dropped, to - source.dropped);
  useLead(way);
  useEffect(() => {
    if (sought.peek()) return; // whoever finds words goes to them
    const block = mark && document.querySelector(`[data-key="${mark.key}"]`);
    (block?.querySelector('mark') ?? block)?.scrollIntoView({block: 'center'});
  }, [mark?.key, marked, visits.value]);
  const behind = !source.following && (to < total || source.paused);
  return (
    <>
      {source.loadingOlder ? <p class="quiet" role="status">Reading what came before…</p> : null}
      {!source.loadingOlder && from <= source.dropped && source.canOlder ? (
        <p class="older">
          <button type="button" class="link-button" onClick={source.older}>Show what came before</button>
          <a class="link-button" data-go="" href={source.beginning}>To the beginning</a>
        </p>
      ) : null}
      <div ref={log} class="log" role="log" aria-label="Conversation" aria-live="off">
        {shown.map(block => <BlockView key={block.key} block={block} version={block.version} context={context} marked={block === mark ? marked : null} />)}
      </div>
      {!source.following && (behind || !context.over) ? (
        <button type="button" class="jump" onClick={source.latest}>
          <Icon name="down" /><span>Latest</span>
        </button>
      ) : null}
    </>
  );
}
