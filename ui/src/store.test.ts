// SPDX-License-Identifier: Apache-2.0
import {beforeEach, expect, it, vi} from 'vitest';
import type {Question, Run} from './api';

// The server, which answers when the test says so.
let asked: {path: string; answer: (body: unknown) => Promise<void>}[] = [];
const settled = () => new Promise<void>(resolve => setTimeout(resolve));

vi.stubGlobal('window', {location: {href: 'http://x/'}, setTimeout, clearTimeout});
vi.stubGlobal('document', {hidden: false});
vi.stubGlobal('localStorage', {getItem: () => null, setItem: () => undefined});
vi.stubGlobal('fetch', (path: string) => new Promise(resolve => {
  asked.push({path, answer: async body => {
    resolve(new Response(JSON.stringify(body)));
    await settled();
  }});
}));

const {closeQuestion, counts, loadOverview, loadQuestions, questions, runs, take} = await import('./store');

const question = (id: string, state = 'open') => ({id, run: 'r-1', header: '', question: id, state, asked_at: 1}) as Question;
const run = (id: string, revision: number) => ({id, state: 'completed', revision, created_at: 1}) as Run;
const message = (event: string, data: unknown) => ({id: '', event, data: JSON.stringify(data)});
const page = (revision: number, list: Run[]) => ({runs: list, counts: {completed: revision}, next: null, revision});
const ids = () => questions.value.map(({id}) => id);

beforeEach(() => {
  asked = [];
  runs.clear();
  questions.value = [];
});

it('believes the stream, not a list of questions that was asked for before', async () => {
  const loaded = loadQuestions();
  take([message('question', question('q1', 'answered')), message('question', question('q3'))]);
  await asked[0]?.answer({questions: [question('q1'), question('q2')]});
  await loaded;
  expect(ids()).toEqual(['q2', 'q3']);
});

it('keeps a question closed that was answered here', async () => {
  take([message('question', question('q1'))]);
  const loaded = loadQuestions();
  closeQuestion(question('q1'));
  await asked[0]?.answer({questions: [question('q1')]});
  await loaded;
  expect(ids()).toEqual([]);
});

it('shows the questions of the list that was asked for last', async () => {
  const loaded = [loadQuestions(), loadQuestions()];
  await asked[1]?.answer({questions: [question('q2')]});
  await asked[0]?.answer({questions: [question('q1')]});
  await Promise.all(loaded);
  expect(ids()).toEqual(['q2']);
});

it('does not bring back a run that was removed meanwhile', async () => {
  const loaded = loadOverview();
  take([message('removed', {id: 'r-1'})]);
  await asked[0]?.answer(page(1, [run('r-1', 1), run('r-2', 1)]));
  await loaded;
  expect([...runs.keys()]).toEqual(['r-2']);
});

it('asks anew when the stream has lost what came before', async () => {
  const loaded = loadOverview();
  take([message('resync', {last: 9})]);
  const [late, ...fresh] = asked.filter(({path}) => path.includes('/runs?'));
  expect(fresh.length).toBe(1);
  await fresh[0]?.answer(page(9, [run('r-3', 9)]));
  await late?.answer(page(1, [run('r-2', 1)]));
  await loaded;
  expect(counts.value).toEqual({completed: 9});
});
