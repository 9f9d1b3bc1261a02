// SPDX-License-Identifier: Apache-2.0
// A long list of which only what is on the screen exists. Rows have heights that are known before
// they are drawn.
import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

export interface VirtualRow {
  key: string;
  height: number;
}

interface Props<R extends VirtualRow> {
  rows: R[];
  label: string;
  draw: (row: R, index: number) => ComponentChildren;
  nearEnd?: () => void;
  reveal?: number; // a row to scroll to
}

const margin = 600; // pixels drawn above and below the screen

export function VirtualList<R extends VirtualRow>({rows, label, draw, nearEnd, reveal}: Props<R>) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({top: 0, height: 1200});
  const offsets: number[] = new Array<number>(rows.length + 1);
  offsets[0] = 0;
  rows.forEach((row, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + row.height;
  });
  const total = offsets[rows.length] ?? 0;

  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const box = element.current?.getBoundingClientRect();
      if (!box) return;
      // In steps, so that a slow scroll draws nothing.
      const top = Math.floor(-box.top / 100) * 100;
      setView(old => (old.top === top && old.height === window.innerHeight ? old : {top, height: window.innerHeight}));
    };
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    window.addEventListener('scroll', later, {passive: true});
    window.addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [rows.length === 0]);

  useLayoutEffect(() => {
    const box = element.current?.getBoundingClientRect();
    if (reveal === undefined || reveal < 0 || reveal >= rows.length || !box) return;
    const top = box.top + (offsets[reveal] ?? 0);
    const height = rows[reveal]?.height ?? 0;
    const room = 140; // what sticks to the edges of the window
    if (top < room) window.scrollBy(0, top - room);
    else if (top + height > window.innerHeight - 80) window.scrollBy(0, top + height - window.innerHeight + 80);
  }, [reveal]);

  const from = search(offsets, view.top - margin);
  const to = Math.min(rows.length, search(offsets, view.top + view.height + margin) + 1);
  useLayoutEffect(() => {
    if (to >= rows.length - 10) nearEnd?.();
  }, [to, rows.length]);

  return (
    <div ref={element} class="virtual" role="list" aria-label={label} style={{height: `${total}px`}}>
      {rows.slice(from, to).map((row, i) => (
        <div key={row.key} role="listitem" aria-setsize={rows.length} aria-posinset={from + i + 1} class="virtual-row"
          style={{top: `${offsets[from + i] ?? 0}px`, height: `${row.height}px`}}>
          {draw(row, from + i)}
        </div>
      ))}
    </div>
  );
}

// The last row that begins at or before `y`.
export function search(offsets: number[], y: number): number {
  let low = 0;
  let high = Math.max(0, offsets.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((offsets[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
