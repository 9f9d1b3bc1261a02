// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts. One table drives what they do and the help sheet. Single keys can be switched
// off (help sheet), and none acts while something is being typed or a form is filled in.
import {useEffect} from 'preact/hooks';
import {shortcuts} from './prefs';

export interface Shortcut {
  keys: string; // as typed: "?", "g r"
  what: string;
  run: () => void;
  inForms?: boolean; // it only moves the focus, also from one form to the next
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

// A search is no form in that sense: nothing is sent.
function inForm(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('form:not([role=search])') !== null;
}

export function beginKeys(): void {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    const {target} = event;
    const open = document.querySelector('dialog[open]') !== null;
    if (event.key === 'Escape' && !open && target instanceof HTMLElement && (typing(target) || inForm(target))) {
      // Some browsers empty a search field, and do not tell: what it filters would be another thing than it says.
      if (target.matches('input[type=search]')) event.preventDefault();
      target.blur();
      return;
    }
    if (!shortcuts.value || typing(target) || open) return;
    const typed = prefix === '' ? event.key : `${prefix} ${event.key}`;
    window.clearTimeout(prefixTimer);
    prefix = '';
    const list = inForm(target) ? allShortcuts().filter(shortcut => shortcut.inForms) : allShortcuts();
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
