// SPDX-License-Identifier: Apache-2.0
import type {ComponentChildren} from 'preact';
import {go} from '../router';

export interface Tab {
  name: string;
  words: ComponentChildren;
  path: string;
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
