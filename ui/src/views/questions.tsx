// SPDX-License-Identifier: Apache-2.0
import {useEffect, useState} from 'preact/hooks';
import {messageOf} from '../api';
import {QuestionCard} from '../parts/question';
import {loadQuestions, questions} from '../store';

export function Questions() {
  const [error, setError] = useState('');
  useEffect(() => {
    loadQuestions().catch((problem: unknown) => setError(messageOf(problem)));
  }, []);
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>Questions</h1></div>
      {error ? <p class="form-error" role="alert">{error}</p> : null}
      {questions.value.map(question => <QuestionCard key={`${question.task_id}/${question.id}`} question={question} withRun />)}
      {questions.value.length === 0 && !error ? (
        <div class="welcome"><h2>Nobody waits for you</h2><p>When an agent asks something it stands here, until the first valid answer from anywhere.</p></div>
      ) : null}
    </main>
  );
}
