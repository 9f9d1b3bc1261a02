// SPDX-License-Identifier: Apache-2.0
// A question that waits, with everything needed to answer it.
import {useEffect, useId, useState} from 'preact/hooks';
import {type Question, api, messageOf} from '../api';
import {neutral, neutralLine} from '../model/neutral';
import {announcement, keyOf, outcomeWords, questions, runs, runsVersion, tell, unanswered} from '../store';
import {Ago} from './state';

const other = -1; // the choice of typing something else

function Choices({question, chosen, setChosen}: {question: Question; chosen: number[]; setChosen: (chosen: number[]) => void}) {
  const name = useId();
  const many = question.multi_select;
  const pick = (number: number) => {
    if (!many) setChosen([number]);
    else setChosen(chosen.includes(number) ? chosen.filter(n => n !== number) : [...chosen, number]);
  };
  // A digit picks the option of that number.
  const digit = (event: KeyboardEvent) => {
    const number = Number(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || !(number >= 1 && number <= question.options.length)) return;
    event.preventDefault();
    pick(number);
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
    <div class="choices" onKeyDown={digit}>
      {question.options.map((option, i) => choice(i + 1, option.label || `Option ${i + 1}`, option.description ?? ''))}
      {question.allow_free_text ? choice(other, 'Another answer', '') : null}
    </div>
  );
}

export function QuestionCard({question, withRun}: {question: Question; withRun: boolean}) {
  const [chosen, setChosen] = useState<number[]>([]);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const title = useId();
  const field = useId();
  const hasOptions = question.options.length > 0;
  const typed = !hasOptions || chosen.includes(other);
  const ready = typed ? text.trim() !== '' : chosen.length > 0;
  void runsVersion.value;
  const run = runs.get(question.task_id);
  const key = keyOf(question);
  useEffect(() => {
    unanswered.add(key);
    return () => {
      unanswered.delete(key);
    };
  }, [key]);

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
      questions.value = questions.value.filter(q => keyOf(q) !== key);
      document.getElementById('main')?.focus({preventScroll: true}); // the form goes, and the focus with it
    } catch (error) {
      unanswered.add(key);
      setSaid(messageOf(error));
    }
    setBusy(false);
  };

  return (
    <form class="question-card" aria-labelledby={title} onSubmit={send}>
      <p class="question-top">
        {question.header ? <span class="chip">{neutralLine(question.header)}</span> : null}
        {withRun ? <a data-go="" class="question-run" href={`/runs/${encodeURIComponent(question.task_id)}`}>{neutralLine(run?.title ?? question.task_id)}</a> : null}
        <Ago at={question.asked_at} />
      </p>
      <h2 id={title} class="plain" dir="auto">{neutral(question.question || question.header || 'The agent asks')}</h2>
      {question.context?.map((line, i) => <p key={i} class="note" dir="auto">{neutralLine(line)}</p>)}
      {hasOptions ? <fieldset disabled={busy}><legend class="hidden">{question.multi_select ? 'Choose one or more' : 'Choose one'}</legend><Choices question={question} chosen={chosen} setChosen={setChosen} /></fieldset> : null}
      {typed ? (
        <div class="field">
          <label for={field} class={hasOptions ? 'hidden' : 'note'}>{question.secret ? 'Secret answer: never shown or logged' : 'Your answer'}</label>
          {question.secret ? (
            <input id={field} type="password" autocomplete="off" value={text} disabled={busy} onInput={e => setText(e.currentTarget.value)} />
          ) : (
            <textarea id={field} rows={2} value={text} disabled={busy} onInput={e => setText(e.currentTarget.value)}
              onKeyDown={e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) void send(e); }} />
          )}
        </div>
      ) : null}
      {said ? <p class="form-error" role="alert">{neutralLine(said)}</p> : null}
      <div class="buttons">
        <button type="submit" class="button primary" disabled={!ready || busy}>{busy ? 'Sending…' : 'Answer'}</button>
        {question.multi_select ? <span class="note">several may be chosen</span> : null}
      </div>
    </form>
  );
}
