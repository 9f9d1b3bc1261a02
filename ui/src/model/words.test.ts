// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import {reasonWords, verdictWords} from './words';

it('has plain words for every fact of a verdict', () => {
  const judge = readFileSync(join(import.meta.dirname, '../../../src/dragoman/run/verdict.cpp'), 'utf8');
  const facts = new Set([...judge.matchAll(/\bnote\("(\w+)"/g)].map(match => match[1] ?? ''));
  expect(facts.size).toBeGreaterThan(15);
  for (const fact of [...facts, 'result_ok', 'turn_ok', 'result_error', 'turn_failed']) expect(reasonWords(fact), fact).toMatch(/ /);
});

it('says the reason of a program as it came', () => {
  expect(['rate_limit', 'constructor'].map(reasonWords)).toEqual(['rate limit', 'constructor']);
});

it('says what a run came to, and nothing good of one that failed', () => {
  expect(['incomplete', 'completed', 'something_new'].map(verdictWords)).toEqual(['ended before it was done', 'completed', 'something new']);
  expect(['hard', 'result_ok', 'terminal_event'].map(reasonWords).join()).not.toMatch(/hard|good/);
});
