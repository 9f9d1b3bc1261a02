// SPDX-License-Identifier: Apache-2.0
// What this browser remembers. A browser that forbids storage forgets, and nothing breaks.
import {effect, signal} from '@preact/signals';

function recall(key: string): string | null {
  try {
    return window.localStorage.getItem(`dragoman.${key}`);
  } catch {
    return null;
  }
}

function remember(key: string, value: string): void {
  try {
    window.localStorage.setItem(`dragoman.${key}`, value);
  } catch {
    // Not remembered.
  }
}

// The view that was wanted before signing in, in this tab.
export const wanted = {
  keep(path: string): void {
    try {
      window.sessionStorage.setItem('dragoman.wanted', path);
    } catch {
      // Not remembered.
    }
  },
  take(): string | null {
    try {
      const path = window.sessionStorage.getItem('dragoman.wanted');
      window.sessionStorage.removeItem('dragoman.wanted');
      return path;
    } catch {
      return null;
    }
  },
};

export type Theme = 'system' | 'light' | 'dark';
const themes: Theme[] = ['system', 'light', 'dark'];

export const theme = signal<Theme>(themes.find(t => t === recall('theme')) ?? 'system');
export const shortcuts = signal(recall('shortcuts') !== 'off');
export const lastAgent = signal(recall('agent') ?? '');
export const lastDirectory = signal(recall('directory') ?? '');

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
}

export function beginPrefs(): void {
  const printing = signal(false); // paper is light
  window.addEventListener('beforeprint', () => { printing.value = true; });
  window.addEventListener('afterprint', () => { printing.value = false; });
  effect(() => {
    const shown = printing.value ? 'light' : theme.value;
    if (shown === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = shown;
  });
  effect(() => remember('theme', theme.value));
  effect(() => remember('shortcuts', shortcuts.value ? 'on' : 'off'));
  effect(() => remember('agent', lastAgent.value));
  effect(() => remember('directory', lastDirectory.value));
}
