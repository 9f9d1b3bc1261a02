// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {askedWords, decided, decisionWords, optionOfKey, ownHeader, sentenceOf} from './asked';
import type {Option, Payloads} from './event';

it('shows a header that says something of its own', () => {
  const text = 'What is the name of the cache?';
  expect(['Storage', 'What is the', 'What is the…', 'what is', '', undefined].map(header => ownHeader(header, text))).toEqual(['Storage', '', '', '', '', '']);
  expect(ownHeader('Storage', '')).toBe('Storage');
});

it('names a question by its words, and says where it cuts them', () => {
  expect(askedWords('What is the', 'What is the name?')).toBe('What is the name?');
  expect(askedWords('Storage', '')).toBe('Storage');
  expect(askedWords('', 'one two\nthree', 8)).toBe('one two…');
});

const permission = [{label: 'Allow', grants: 'allow_once' as const}, {label: 'Deny', grants: 'deny' as const}, {label: 'no', grants: 'allow_always' as const}];

it('shows the command beside its question and not in it', () => {
  const wants = {tool: 'Bash', command: 'cd x\nmake'};
  expect(sentenceOf('Allow Bash: cd x\nmake?', wants)).toBe('Allow Bash?');
  expect(sentenceOf('Allow Bash: make?', wants)).toBe('Allow Bash: make?');
  expect(sentenceOf('Which?', undefined)).toBe('Which?');
});

it('knows a denial, also of an older recording', () => {
  const event = (more: object) => decided({state: 'answered', source: 'permission', options: permission, ...more} as Payloads['question']);
  expect(event({decision: 'deny', answer: 'Deny'})).toEqual({grant: 'deny', reason: ''});
  expect(event({decision: 'deny', answer: 'use npm'})).toEqual({grant: 'deny', reason: 'use npm'});
  expect(event({decision: 'allow_session', answer: 'Session'})).toEqual({grant: 'allow_session', reason: ''});
  const old = {options: [{label: 'Allow'}, {label: 'Deny'}]};
  expect([event({...old, answer: 'Allow'}), event({...old, answer: 'y'})]).toEqual([{grant: 'allow_once', reason: ''}, {grant: 'deny', reason: 'y'}]);
  expect([event({...old}), event({...old, state: 'open', answer: 'Allow'}), event({...old, source: 'comment', answer: 'Allow'})]).toEqual([null, null, null]);
  expect(decisionWords('deny', 'use npm')).toBe('denied: use npm');
});

it('takes y and n where they can be meant', () => {
  const keys = (options: readonly Option[]) => ['1', '3', '9', 'y', 'N', 'a', ' '].map(key => optionOfKey(key, options));
  expect(keys(permission)).toEqual([1, 3, 0, 1, 2, 0, 0]);
  expect(keys([{label: 'no'}, {label: 'YES'}])).toEqual([1, 0, 0, 2, 1, 0, 0]);
  expect(keys([{label: 'Yes'}, {label: 'Later'}])).toEqual([1, 0, 0, 0, 0, 0, 0]);
  expect(keys([{label: 'Here', grants: 'allow_always'}, {label: 'A', grants: 'allow_once'}, {label: 'B', grants: 'allow_once'}])).toEqual([1, 3, 0, 0, 0, 0, 0]);
});
