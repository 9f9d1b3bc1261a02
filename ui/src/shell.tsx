// SPDX-License-Identifier: Apache-2.0
// What every page has: the bar, the help sheet, the voice for screen readers.
import {useEffect, useRef, useState} from 'preact/hooks';
import {allShortcuts, useShortcuts} from './keys';
import {Dialog} from './parts/dialog';
import {Icon, type IconName} from './parts/icon';
import {nextTheme, shortcuts, theme, wanted} from './prefs';
import {go, place, title, useTitle} from './router';
import {announcement, info, link, notice, waitingCount} from './store';
import {NewTask} from './views/new_task';
import {Overview} from './views/overview';
import {Questions} from './views/questions';
import {RunView} from './views/run';
import {Search} from './views/search';
import {Viewer} from './views/viewer';

const pages: {path: string; words: string; icon: IconName; keys: string}[] = [
  {path: '/', words: 'Runs', icon: 'runs', keys: 'g r'},
  {path: '/questions', words: 'Questions', icon: 'ask', keys: 'g q'},
  {path: '/new', words: 'New', icon: 'plus', keys: 'n'},
  {path: '/search', words: 'Search', icon: 'search', keys: 'g s'},
  {path: '/view', words: 'View', icon: 'file', keys: 'g v'},
];

function Brand() {
  return (
    <a class="brand" data-go="" href="/" aria-label="dragoman, to the runs">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
        <path class="brand-1" d="M8 4h10a6 6 0 0 1 6 6v3h-8a6 6 0 0 0-6 6v5l-4-3.2A6 6 0 0 1 2 16v-6a6 6 0 0 1 6-6Z" />
        <path class="brand-2" d="M17 15h7a6 6 0 0 1 6 6v1a6 6 0 0 1-4 5.7V31l-4.600-3H17a5 5 0 0 1-5-5v-3a5 5 0 0 1 5-5Z" />
      </svg>
      <span>dragoman</span>
    </a>
  );
}

function Navigation({current}: {current: string}) {
  return (
    <nav class="nav" aria-label="Main">
      {pages.map(page => {
        const here = page.path === '/' ? current === '/' || current.startsWith('/runs') : current === page.path;
        const waiting = page.path === '/questions' ? waitingCount.value : 0;
        return (
          <a key={page.path} data-go="" href={page.path} aria-current={here ? 'page' : undefined}>
            <Icon name={page.icon} /><span>{page.words}</span>
            {waiting > 0 ? <span class="badge" aria-label={`${waiting} open`}>{waiting}</span> : null}
          </a>
        );
      })}
    </nav>
  );
}

const themeIcons = {system: 'system', light: 'sun', dark: 'moon'} as const;
const linkWords = {connecting: 'connecting', live: 'live', lost: 'connection lost, trying again', denied: 'not signed in'};

function HelpSheet({close}: {close: () => void}) {
  return (
    <Dialog title="Keyboard" close={close}>
      <dl class="keys">
        {allShortcuts().map(({keys, what}) => (
          <div key={keys}><dt>{keys.split(' ').map((key, i) => <kbd key={i}>{key}</kbd>)}</dt><dd>{what}</dd></div>
        ))}
        <div><dt><kbd>1</kbd>…<kbd>9</kbd></dt><dd>Pick an option of the focused question</dd></div>
        <div><dt><kbd>Esc</kbd></dt><dd>Leave a field, close a sheet</dd></div>
      </dl>
      <label class="check"><input type="checkbox" checked={shortcuts.value} onChange={e => { shortcuts.value = e.currentTarget.checked; }} /> Single-key shortcuts</label>
      <p class="note">dragoman {info.value?.version ?? ''}</p>
    </Dialog>
  );
}

function SignIn() {
  useTitle('Sign in');
  const [code, setCode] = useState('');
  const {pathname, search, searchParams} = place.value;
  const send = (event: Event) => {
    event.preventDefault();
    if (!searchParams.has('login')) wanted.keep(pathname + search);
    window.location.assign(`/login?code=${encodeURIComponent(code.replace(/^.*code=/, '').trim())}`);
  };
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>Sign in</h1></div>
      <form class="form" onSubmit={send}>
        {searchParams.has('login') ? <p class="form-error" role="alert">That link has been used or is too old: each works once, for ten minutes.</p> : null}
        <p><code>dragoman serve --login{window.location.port === '4777' ? '' : ` --port ${window.location.port}`}</code> prints a new link for the server that runs. Open it and come back, or paste it here:</p>
        <div class="field"><label for="code">Login link or code</label><input id="code" value={code} autocomplete="off" spellcheck={false} onInput={e => setCode(e.currentTarget.value)} /></div>
        <div class="buttons"><button type="submit" class="button primary" disabled={code.trim() === ''}>Sign in</button></div>
      </form>
    </main>
  );
}

function View({path}: {path: string}) {
  if (link.value === 'denied') return <SignIn />;
  const run = /^\/runs\/([^/]+)$/.exec(path);
  if (run) {
    const id = decoded(run[1] ?? '');
    return <RunView key={id} id={id} />;
  }
  if (path === '/') return <Overview />;
  if (path === '/questions') return <Questions />;
  if (path === '/new') return <NewTask />;
  if (path === '/search') return <Search />;
  if (path === '/view') return <Viewer />;
  return <Nothing />;
}

function Nothing() {
  useTitle('Nothing here');
  return <main id="main" class="narrow trouble" tabIndex={-1}><h1>Nothing here</h1><p>No view has the address <code>{place.value.pathname}</code>.</p><a class="button" data-go="" href="/">To the runs</a></main>;
}

// An address that somebody has typed.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Who follows a link with the keyboard or hears the page goes on in the new view, not at its bar.
function useArrival(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const main = document.getElementById('main');
    if (main && !main.contains(document.activeElement)) main.focus({preventScroll: true});
    announcement.value = main?.querySelector('h1')?.textContent ?? '';
  }, [path]);
}

export function Shell() {
  const path = place.value.pathname;
  const [help, setHelp] = useState(false);
  useShortcuts([
    ...pages.map(page => ({keys: page.keys, what: page.words === 'New' ? 'New task' : page.words, run: () => go(page.path)})),
    {keys: '/', what: 'Search', run: () => go('/search')},
    {keys: 't', what: 'Light, dark or as the system', run: nextTheme},
    {keys: '?', what: 'This sheet', run: () => setHelp(true)},
  ], []);
  useEffect(() => {
    const waiting = waitingCount.value;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title.value} · dragoman`;
  }, [title.value, waitingCount.value]);
  useArrival(path);
  return (
    <>
      <a class="skip" href="#main">Skip to the content</a>
      <header class="topbar">
        <Brand />
        <Navigation current={path} />
        <div class="topbar-end">
          <span class={`link link-${link.value}`} role="status" title={linkWords[link.value]}><span class="dot" aria-hidden="true" /><span class={link.value === 'lost' ? '' : 'hidden'}>{linkWords[link.value]}</span></span>
          <button type="button" class="icon-button" aria-label={`Theme: ${theme.value}`} title={`Theme: ${theme.value}`} onClick={nextTheme}><Icon name={themeIcons[theme.value]} /></button>
          <button type="button" class="icon-button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={() => setHelp(true)}><Icon name="help" /></button>
        </div>
      </header>
      <View path={path} />
      {help ? <HelpSheet close={() => setHelp(false)} /> : null}
      {notice.value ? (
        <div class="toast"><span dir="auto">{notice.value}</span><button type="button" class="icon-button" aria-label="Close" onClick={() => { notice.value = ''; }}><Icon name="close" /></button></div>
      ) : null}
      <div class="hidden" aria-live="polite">{announcement.value}</div>
    </>
  );
}
