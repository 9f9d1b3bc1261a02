// SPDX-License-Identifier: Apache-2.0
// Shows found words where they stand. They are marked by ranges over the page's text (CSS Custom
// Highlight API): no node changes, and hostile text stays as it is.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import type {Block} from '../model/blocks';
import {type Spot, placesIn} from '../model/hits';

export interface Sought extends Spot {
  words: string;
}

// The place that somebody wants to see; a new object for each step.
export const sought = signal<Sought | null>(null);

// The blocks that lead to it: those open, and show enough of their output.
interface Lead {
  keys: Set<number>;
  block: Block; // the innermost
}
const lead = signal<Lead | null>(null);

export function leadsThrough(key: number | undefined): boolean {
  return key !== undefined && lead.value !== null && lead.value.keys.has(key);
}

export function useLead(way: Block[]): void {
  const block = way[way.length - 1];
  useEffect(() => {
    lead.value = sought.value && block ? {keys: new Set(way.map(one => one.key)), block} : null;
  }, [sought.value, block?.key, way.length]);
}

// How much of a long text has to be there to show the place.
export function reachOf(text: string): number {
  const spot = sought.value;
  if (!spot) return 0;
  const place = placesIn(text, spot.words, spot.nth + 1).pop();
  return place === undefined ? 0 : place + spot.words.length + 2_000;
}

const mostMarks = 4_000;
const lines = 'p, pre, li, td, th, h2, h3, h4, h5, h6, summary, button, span.what, div';
const ours = '.block-link, .link-button, .copy, .hidden';

// Words may go on from one node to the next, though not from one line to another.
function rangesIn(root: Element, words: string, except: string, limit: number): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, node =>
    node instanceof Element ? (node.matches(except) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP) : NodeFilter.FILTER_ACCEPT);
  const nodes: {node: Node; from: number}[] = [];
  let text = '';
  let line: Element | null | undefined = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const here: Element | null | undefined = node.parentElement?.closest(lines);
    if (here !== line && text !== '') text += '\n';
    line = here;
    nodes.push({node, from: text.length});
    text += node.nodeValue ?? '';
  }
  let at = 0;
  const place = (offset: number, end: boolean): [Node, number] | null => {
    for (let next = nodes[at + 1]; next && (end ? next.from < offset : next.from <= offset); next = nodes[at + 1]) at += 1;
    const found = nodes[at];
    return found ? [found.node, offset - found.from] : null;
  };
  return placesIn(text, words, limit).flatMap(from => {
    const begin = place(from, false);
    const end = place(from + words.length, true);
    if (!begin || !end) return [];
    const range = document.createRange();
    range.setStart(...begin);
    range.setEnd(...end);
    return [range];
  });
}

// Those of the event itself: a tool's block has its call, its result and its subagent.
function rangesOf(part: Element, {block}: Lead, spot: Sought): Range[] {
  if (block.type !== 'tool') {
    const line = part.querySelector('mark');
    const ranges = line ? rangesIn(line, spot.words, ours, mostMarks) : [];
    return ranges.length > 0 ? ranges : rangesIn(part, spot.words, ours, mostMarks);
  }
  const result = spot.seq > block.seq ? part.querySelector('.result') : null;
  if (result) return rangesIn(result, spot.words, ours, mostMarks);
  const ranges = rangesIn(part, spot.words, `${ours}, .result, .wxcode-subagent`, mostMarks);
  return ranges.slice(Math.max(0, ranges.length - spot.times)); // its line says some of it a second time
}

function scrollTo(range: Range): void {
  const from = range.startContainer.parentElement;
  for (let fold = from?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
  const box = from?.closest('pre');
  if (box && box.scrollHeight > box.clientHeight) {
    box.scrollTop += range.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
  }
  const {top} = range.getBoundingClientRect();
  const {from: upper, to: lower} = uncovered();
  window.scrollBy(0, top - (upper + lower) / 2);
}

// What neither the bar at the top nor a question at the foot covers.
function uncovered(): {from: number; to: number} {
  const {scrollPaddingTop, scrollPaddingBottom} = getComputedStyle(document.documentElement);
  return {from: parseFloat(scrollPaddingTop), to: window.innerHeight - parseFloat(scrollPaddingBottom)};
}

function inSight(range: Range): boolean {
  const {top, bottom} = range.getBoundingClientRect();
  const {from, to} = uncovered();
  return top >= from && bottom <= to;
}

function mark(name: string, ranges: Range[]): void {
  if (!('highlights' in CSS)) return; // an older browser: the event is marked all the same
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, new Highlight(...ranges));
}

const patience = 20_000; // ms, for a stretch that is still being read
const settling = 3_000; // ms in which what is read above a place may still move it
const moves = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const; // whoever does it looks elsewhere

// Marks the words in the conversation, whatever comes into it, and goes to the place that is sought.
export function useMarks(words: string): void {
  useEffect(() => {
    const panel = document.getElementById('tab-panel');
    if (!panel || words.trim() === '') return;
    let timer = 0;
    let shown: Sought | null = null;
    let nearby: Sought | null = null;
    let since = 0;
    let arrived = 0;
    let place: Range | null = null;
    let check = 0;
    // Once more, as long as nobody has gone on by himself.
    const stay = () => {
      if (!place || performance.now() - arrived >= settling) return;
      if (place.startContainer.isConnected && !inSight(place)) scrollTo(place); // else it is drawn again
      check = window.setTimeout(stay, 150);
    };
    const leave = () => {
      place = null;
      window.clearTimeout(check);
    };
    for (const move of moves) window.addEventListener(move, leave, {passive: true});
    const go = (): Range[] => {
      const spot = sought.peek();
      const way = lead.peek();
      if (!spot || !way || spot.words !== words) return [];
      const parts = [...panel.querySelectorAll(`.log .block[data-seq="${way.block.seq}"]`)];
      const ranges = parts.flatMap(part => rangesOf(part, way, spot));
      const range = ranges[Math.min(spot.nth, ranges.length - 1)];
      if (spot !== nearby) since = performance.now();
      if (shown !== spot && range && performance.now() - since < patience) {
        shown = spot;
        arrived = performance.now();
        scrollTo(range);
        window.clearTimeout(check);
        check = window.setTimeout(stay, 150);
      } else if (spot !== nearby && !range) {
        parts[0]?.scrollIntoView({block: 'center'});
      }
      nearby = spot;
      if (shown === spot && range && performance.now() - arrived < settling) place = range;
      return range ? [range] : [];
    };
    const draw = () => {
      timer = 0;
      const log = panel.querySelector('.log');
      mark('found', log ? rangesIn(log, words, ours, mostMarks) : []);
      mark('here', go());
    };
    const later = () => {
      if (timer === 0) timer = window.setTimeout(draw, 60);
    };
    const watch = new MutationObserver(later);
    watch.observe(panel, {subtree: true, childList: true, characterData: true});
    const stop = lead.subscribe(later);
    later();
    return () => {
      stop();
      leave();
      for (const move of moves) window.removeEventListener(move, leave);
      watch.disconnect();
      window.clearTimeout(timer);
      mark('found', []);
      mark('here', []);
    };
  }, [words]);
}
