// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import type {RunDetail, Said} from '../api';
import {hearingOf, stateOf, unheard} from './messages';

const said = (number: number, state: Said['state'], reason: string | null = null): Said => ({number, text: `m${number}`, by: 'dashboard', said_at: number, state, reason, settled_at: null});
const run = (state: RunDetail['state']) => ({state}) as RunDetail;

it('shows what the agent has not heard, and what was lost since it heard something', () => {
  const messages = [said(1, 'undelivered', 'old'), said(2, 'delivered'), said(3, 'undelivered', 'the run was cancelled'), said(4, 'taken'), said(5, 'waiting')];
  expect(unheard(messages).map(message => message.number)).toEqual([3, 4, 5]);
  expect(unheard([said(1, 'delivered')])).toEqual([]);
});

it('says what becomes of a message', () => {
  expect(stateOf(said(1, 'waiting'), run('working'))).toContain('after its turn');
  expect(stateOf(said(1, 'waiting'), run('queued'))).toContain('slot');
  expect(stateOf(said(1, 'undelivered', 'the run was cancelled'), run('cancelled'))).toBe('not delivered: the run was cancelled');
});

it('says when the agent would hear one', () => {
  expect(hearingOf({...run('working'), hears: 'now'})).toContain('at once');
  expect(hearingOf({...run('working'), hears: 'after_turn'})).toContain('after its turn');
  expect(hearingOf({...run('completed'), hears: 'next_turn'})).toContain('goes on');
  expect(hearingOf({...run('waiting'), hears: 'next_turn'})).toContain('question');
});
