// SPDX-License-Identifier: Apache-2.0
// A question that waits, with everything needed to answer it.
import {useEffect, useId, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {type Question, api, messageOf} from '../api';
import {draftOf, keepDraft} from '../drafts';
import {optionOfKey, ownHeader, sentenceOf} from '../model/asked';
import {neutral, neutralLine} from '../model/neutral';
import {announcement, closeQuestion, keyOf, link, outcomeWords, runs, runsVersion, tell, unanswered} from '../store';
import {Ago} from './state';
import {Wanted} from './wanted';

const other = -1; // the choice of typing something else
const short = 240; // characters of a question that stays in sight while its options are scrolled

function Choices({question, chosen, pick}: {question: Question; chosen: number[]; pick: (number: number) => void}) {
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const many = question.multi_select;
  const permission = question.options.some(option => option.grants !== undefined);
  // A digit picks the option of that number, y and n allow and deny. The focus goes along: arrow keys go on from there.
  const digit = (event: KeyboardEvent) => {
    const number = optionOfKey(event.key, question.options);
    if (event.ctrlKey || event.metaKey || event.altKey || number === 0) return;
    event.preventDefault();
    pick(number);
    list.current?.querySelectorAll('input')[number - 1]?.focus();
  };
  const choice = (number: number, label: string, description: string) => (
    <label key={number} class={chosen.includes(number) ? 'choice chosen' : 'choice'}>
      <input type={many ? 'checkbox' : 'radio'} name={name} checked={chosen.includes(number)} onChange={() => pick(number)} />
      <span class="choice-words">
        <span class="choice-label" dir="auto">{neutralLine(label)}</span>
        {description ? <span class="note" dir="auto">{neutralLine(description)}</span> : null}
      </span>
      {number > 0 && number < 10 ? <kbd aria-hidden="true">{number}</kbd> : null}
    </label>
  );
  return (
    <div ref={list} class="choices" onKeyDown={digit}>
      {question.options.map((option, i) => choice(i + 1, option.label || `Option ${i + 1}`, option.description ?? ''))}
      {question.allow_free_text ? choice(other, permission ? 'Deny, and say why' : 'Another answer', '') : null}
    </div>
  );
}

export function QuestionCard({question, withRun}: {question: Question; withRun: boolean}) {
  const key = keyOf(question);
  const [{chosen, text}, setDraft] = useState(() => draftOf(key));
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const title = useId();
  const field = useId();
  const toField = useRef(false); // somebody has just chosen to type
  const hasOptions = question.options.length > 0;
  const typed = !hasOptions || chosen.includes(other);
  const ready = typed ? text.trim() !== '' : chosen.length > 0;
  void runsVersion.value;
  const run = runs.get(question.run);
  useEffect(() => {
    unanswered.add(key);
    return () => {
      unanswered.delete(key);
    };
  }, [key]);
  // Before the next key: words belong into the field that has appeared.
  useLayoutEffect(() => {
    if (typed && toField.current) document.getElementById(field)?.focus();
    toField.current = false;
  }, [typed]);
  useEffect(() => {
    if (link.value === 'live') setSaid(''); // the server is back
  }, [link.value]);

  const change = (next: {chosen?: number[]; text?: string}) => {
    const draft = {chosen, text, ...next};
    keepDraft(key, question.secret ? {...draft, text: ''} : draft);
    setDraft(draft);
    setSaid('');
  };
  const pick = (number: number) => {
    const without = chosen.filter(n => n !== number);
    const on = !question.multi_select || without.length === chosen.length;
    toField.current = on && number === other;
    change({chosen: question.multi_select ? (on ? [...chosen, number] : without) : [number]});
  };

  const send = async (event: Event) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setSaid('');
    unanswered.delete(key); // the stream may be faster than the answer to this
    try {
      const labels = chosen.filter(n => n > 0).map(n => question.options[n - 1]?.label ?? '');
      const body = !typed ? {choices: chosen} : {answer: [...labels, text].join(', '), literal: true};
      const result = await api.answer(question, body);
      if (result.accepted) announcement.value = 'Answer sent';
      else tell(outcomeWords(result.question));
      closeQuestion(question);
      document.getElementById('main')?.focus({preventScroll: true}); // the form goes, and the focus with it
    } catch (error) {
      unanswered.add(key);
      setSaid(messageOf(error));
    }
    setBusy(false);
  };

  // What is being sent is not disabled: that would take the focus from who has to try again.
  const header = ownHeader(question.header, question.question);
  const words = neutral(sentenceOf(question.question, question.wants) || question.header || 'The agent asks');
  const typing = {id: field, value: text};
  return (
    <form class="question-card" aria-labelledby={title} aria-busy={busy} onSubmit={send}>
      <p class="question-top">
        {header ? <span class="chip">{neutralLine(header)}</span> : null}
        {withRun ? <a data-go="" class="question-run" href={`/runs/${encodeURIComponent(question.run)}`}>{neutralLine(run?.title ?? question.run)}</a> : null}
        <Ago at={question.asked_at} />
      </p>
      <h2 id={title} class={words.length > short ? 'plain' : 'plain short'} dir="auto">{words}</h2>
      <Wanted wants={question.wants} />
      {question.context?.map((line, i) => <p key={i} class="note" dir="auto">{neutralLine(line)}</p>)}
      {hasOptions ? <fieldset><legend class="hidden">{question.multi_select ? 'Choose one or more' : 'Choose one'}</legend><Choices question={question} chosen={chosen} pick={pick} /></fieldset> : null}
      {typed ? (
        <div class="field">
          <label for={field} class={hasOptions ? 'hidden' : 'note'}>{question.secret ? 'Secret answer: never shown or logged' : 'Your answer'}</label>
          {question.secret ? (
            <input {...typing} type="password" autocomplete="off" onInput={e => change({text: e.currentTarget.value})} />
          ) : (
            <textarea {...typing} rows={2} onInput={e => change({text: e.currentTarget.value})}
              onKeyDown={e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) void send(e); }} />
          )}
        </div>
      ) : null}
      {said ? <p class="form-error" role="alert">{neutralLine(said)}</p> : null}
      <div class="buttons">
        <button type="submit" class="button primary" disabled={!ready} aria-disabled={busy}>{busy ? 'Sending…' : 'Answer'}</button>
        {question.multi_select ? <span class="note">several may be chosen</span> : null}
      </div>
    </form>
  );
}
