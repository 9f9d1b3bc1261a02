// SPDX-License-Identifier: Apache-2.0
// What people say to a run: a box at its foot, and above it the messages that the agent has not heard.
import {useId, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {type RunDetail, api, messageOf} from '../api';
import {keepMessage, messageBegun} from '../drafts';
import {hearingOf, stateOf, unheard} from '../model/messages';
import {neutral, neutralLine} from '../model/neutral';
import {announcement} from '../store';
import {Icon} from './icon';

export function Unheard({run}: {run: RunDetail}) {
  const messages = unheard(run.messages ?? []);
  if (messages.length === 0) return null;
  return (
    <ul class="unheard" aria-label="Messages that the agent has not heard">
      {messages.map(message => (
        <li key={message.number} class={message.state === 'undelivered' ? 'lost-message' : ''}>
          <p class="asked plain" dir="auto">{neutral(message.text.slice(0, 20_000))}</p>
          <p class="note" role="status">{stateOf(message, run)}</p>
        </li>
      ))}
    </ul>
  );
}

// Enter sends, Shift+Enter begins a new line. What was begun is still there after a look at something else.
export function MessageBox({run, sent}: {run: RunDetail; sent: () => void}) {
  const [text, setText] = useState(() => messageBegun(run.id));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const box = useRef<HTMLTextAreaElement>(null);
  const field = useId();
  const note = useId();
  useLayoutEffect(() => { // as high as its words
    if (!box.current) return;
    box.current.style.height = 'auto';
    box.current.style.height = `${box.current.scrollHeight + 2}px`;
  }, [text]);
  const change = (words: string) => {
    keepMessage(run.id, words);
    setText(words);
    setError('');
  };
  const send = async (event: Event) => {
    event.preventDefault();
    if (busy || text.trim() === '') return;
    setBusy(true);
    try {
      await api.send(run.id, text);
      change('');
      announcement.value = 'Message sent';
      sent();
    } catch (problem) {
      setError(messageOf(problem));
    }
    setBusy(false);
    box.current?.focus({preventScroll: true});
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void send(event);
  };
  return (
    <form class="message-box" aria-label="Message to the agent" aria-busy={busy} onSubmit={send}>
      <label class="hidden" for={field}>Message to the agent</label>
      <textarea id={field} ref={box} rows={1} value={text} placeholder="Say something to the agent" aria-describedby={note} enterkeyhint="send"
        onInput={event => change(event.currentTarget.value)} onKeyDown={key} />
      <button type="submit" class="button primary" aria-label="Send" title="Send (Enter)" disabled={text.trim() === ''} aria-disabled={busy}><Icon name="up" /></button>
      {error ? <p class="form-error" role="alert">{neutralLine(error)}</p> : null}
      <p id={note} class="note">{hearingOf(run)} <span class="wide-only"><kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a new line.</span></p>
    </form>
  );
}
