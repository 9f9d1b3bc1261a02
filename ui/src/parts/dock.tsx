// SPDX-License-Identifier: Apache-2.0
// What stands at the foot of a run. The page knows how much it covers, so that whoever goes to a place sees it.
import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef} from 'preact/hooks';

export function Dock({label, children}: {label: string; children: ComponentChildren}) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const {style} = document.documentElement;
    const watch = new ResizeObserver(() => style.setProperty('--foot', `${parseFloat(getComputedStyle(box).bottom) + box.offsetHeight}px`));
    watch.observe(box);
    return () => {
      watch.disconnect();
      style.removeProperty('--foot');
    };
  }, []);
  return <div ref={element} class="dock" role="region" aria-label={label}>{children}</div>;
}
