// SPDX-License-Identifier: Apache-2.0
// The address of the page. Links are ordinary links: they can be copied, opened in a tab, reloaded.
import {signal} from '@preact/signals';
import {useEffect} from 'preact/hooks';

export const place = signal(new URL(window.location.href));

// How often somebody was led somewhere. A link to where the page is already leads there again, for
// whoever has scrolled away.
export const visits = signal(0);

// What the browser calls this page in its tabs and its history.
export const title = signal('');

export function useTitle(words: string): void {
  useEffect(() => {
    title.value = words;
  }, [words]);
}

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(path, window.location.href);
  visits.value += 1;
  place.value = url; // first: a browser may refuse to note many addresses in a short time
  if (how === 'push') window.history.pushState(null, '', url);
  else window.history.replaceState(null, '', url);
  if (how === 'push') window.scrollTo(0, 0);
}

export function beginRouting(): void {
  window.addEventListener('popstate', () => {
    place.value = new URL(window.location.href);
  });
  document.addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = event.target instanceof Element ? event.target.closest('a') : null;
    // Links in agents' text open in a tab of their own; only ours carry data-go.
    if (!anchor || anchor.dataset['go'] === undefined || anchor.origin !== window.location.origin) return;
    event.preventDefault();
    go(anchor.href);
  });
}
