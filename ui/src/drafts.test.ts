// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {draftOf, dropDrafts, keepDraft, keepMessage, messageBegun} from './drafts';

it('keeps what was begun until the question is gone', () => {
  keepDraft('a/1', {chosen: [2], text: ''});
  keepDraft('a/2', {chosen: [], text: 'half'});
  dropDrafts(new Set(['a/2']));
  expect([draftOf('a/1'), draftOf('a/2')]).toEqual([{chosen: [], text: ''}, {chosen: [], text: 'half'}]);
  keepDraft('a/2', {chosen: [], text: ''});
  expect(draftOf('a/2')).toEqual({chosen: [], text: ''});
});

it('keeps a message that was begun, whatever is asked', () => {
  keepMessage('r-a', 'and the');
  dropDrafts(new Set());
  expect([messageBegun('r-a'), messageBegun('r-b')]).toEqual(['and the', '']);
  keepMessage('r-a', '');
  expect(messageBegun('r-a')).toBe('');
});
