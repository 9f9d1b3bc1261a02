// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts. One table drives what they do and the help sheet. Single keys can be switched
// off (help sheet), and none acts while something is being typed.
import {useEffect} from 'preact/hooks';
import {shortcuts} from './prefs';

export interface Shortcut {
  keys: string; // as typed: "?", "g r"
  what: string;
  run: () => void;
}

// The newest set comes first: a view's keys hide those of the page.
const active: Shortcut[][] = [];
let prefix = '';
let prefixTimer = 0;

export function allShortcuts(): Shortcut[] {
  const seen = new Set<string>();
  return active.flat().filter(({keys}) => !seen.has(keys) && seen.add(keys));
}

export function useShortcuts(list: Shortcut[], depends: unknown[]): void {
  useEffect(() => {
    active.unshift(list);
    return () => {
      active.splice(active.indexOf(list), 1);
    };
  }, depends);
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input:not([type=radio]):not([type=checkbox]), textarea, select'));
}

export function beginKeys(): void {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (event.key === 'Escape' && typing(event.target)) {
      (event.target as HTMLElement).blur();
      return;
    }
    if (!shortcuts.value || typing(event.target) || document.querySelector('dialog[open]')) return;
    const typed = prefix === '' ? event.key : `${prefix} ${event.key}`;
    window.clearTimeout(prefixTimer);
    prefix = '';
    const list = allShortcuts();
    const found = list.find(({keys}) => keys === typed);
    if (found) {
      event.preventDefault();
      found.run();
    } else if (list.some(({keys}) => keys.startsWith(`${typed} `))) {
      prefix = typed;
      prefixTimer = window.setTimeout(() => {
        prefix = '';
      }, 1200);
    }
  });
}
