// SPDX-License-Identifier: Apache-2.0
import {useEffect, useState} from 'preact/hooks';
import {messageOf} from '../api';
import {useShortcuts} from '../keys';
import {QuestionCard} from '../parts/question';
import {useTitle} from '../router';
import {keyOf, link, loadQuestions, questions} from '../store';

export function Questions() {
  useTitle('Questions');
  const [error, setError] = useState('');
  const again = error !== '' && link.value === 'live'; // the server is back
  useEffect(() => {
    let current = true;
    loadQuestions().then(() => current && setError(''), (problem: unknown) => current && setError(messageOf(problem)));
    return () => {
      current = false;
    };
  }, [again]);
  const step = (by: number) => {
    const cards = [...document.querySelectorAll('.question-card')];
    const at = cards.findIndex(card => card.contains(document.activeElement));
    cards[at < 0 ? 0 : at + by]?.querySelector<HTMLElement>('input, textarea')?.focus();
  };
  useShortcuts([
    {keys: 'j', what: 'Next question', run: () => step(1), inForms: true},
    {keys: 'k', what: 'Previous question', run: () => step(-1), inForms: true},
  ], []);
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>Questions</h1></div>
      {error ? <p class="form-error" role="alert">{error}</p> : null}
      {questions.value.map(question => <QuestionCard key={keyOf(question)} question={question} withRun />)}
      {questions.value.length === 0 && !error ? (
        <div class="welcome"><h2>Nobody waits for you</h2><p>When an agent asks something it stands here, until the first valid answer from anywhere.</p></div>
      ) : null}
    </main>
  );
}
