// SPDX-License-Identifier: Apache-2.0
import type {RefObject} from 'preact';
import {useLayoutEffect, useRef, useState} from 'preact/hooks';

// How wide an element is: a chart that is drawn at that width has letters of the page's own size.
export function useWidth<E extends HTMLElement>(first: number): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const look = () => setWidth(Math.max(200, Math.round(box.clientWidth)));
    look();
    const watch = new ResizeObserver(look);
    watch.observe(box);
    return () => watch.disconnect();
  }, [element.current === null]);
  return [element, width];
}
