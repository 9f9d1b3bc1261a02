// SPDX-License-Identifier: Apache-2.0
import {expect, it} from 'vitest';
import {askedWords, ownHeader} from './asked';

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
