// SPDX-License-Identifier: Apache-2.0
import type {ComponentChildren} from 'preact';
import {useLayoutEffect, useRef} from 'preact/hooks';
import {go} from '../router';

export interface Tab {
  name: string;
  words: ComponentChildren;
  path: string;
}

// The head of a run and its tabs stay in sight, however long the run. What sticks below them, and
// where the browser scrolls to, begins at their end: --top.
export function StickyTop({children}: {children: ComponentChildren}) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const {style} = document.documentElement;
    const watch = new ResizeObserver(() => style.setProperty('--top', `${parseFloat(getComputedStyle(box).top) + box.offsetHeight}px`));
    watch.observe(box);
    return () => {
      watch.disconnect();
      document.documentElement.removeAttribute('style');
    };
  }, []);
  return <div ref={element} class="run-top">{children}</div>;
}

// Tabs are links, so that each view of a run has an address; arrows move between them.
export function Tabs({tabs, current, label}: {tabs: Tab[]; current: string; label: string}) {
  const keys = (event: KeyboardEvent) => {
    const at = tabs.findIndex(tab => tab.name === current);
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
    const tab = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!tab) return;
    event.preventDefault();
    go(tab.path, 'replace');
    requestAnimationFrame(() => document.getElementById(`tab-${tab.name}`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={keys}>
      {tabs.map(tab => (
        <a key={tab.name} id={`tab-${tab.name}`} role="tab" data-go="" href={tab.path} aria-selected={tab.name === current} aria-controls="tab-panel"
          tabIndex={tab.name === current ? 0 : -1} class={tab.name === 'details' ? 'tab narrow-only' : 'tab'}>{tab.words}</a>
      ))}
    </div>
  );
}
