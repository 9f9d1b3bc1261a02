// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {offeredAgents} from './agents';

test('only what the server starts is offered, whoever did it before', () => {
  expect(offeredAgents(['claude', 'codex'], 'executor')).toEqual(['claude', 'codex']);
  expect(offeredAgents(undefined, 'claude')).toEqual(['claude']);
  expect(offeredAgents(undefined, '')).toEqual([]);
});
