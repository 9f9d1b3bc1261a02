// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {modesOf, offeredAgents} from './agents';

test('only what the server starts is offered, whoever did it before', () => {
  expect(offeredAgents(['claude', 'codex'], 'executor')).toEqual(['claude', 'codex']);
  expect(offeredAgents(undefined, 'claude')).toEqual(['claude']);
  expect(offeredAgents(undefined, '')).toEqual([]);
});

test('the modes are those of the agent, in its own words', () => {
  const words = (agent: string) => modesOf(agent).map(mode => mode.words);
  expect(words('codex')).toEqual(['read-only', 'workspace-write', 'danger-full-access']);
  expect(words('')).toEqual(words('codex'));
  expect(words('claude')).toEqual(['default, without editing', 'acceptEdits', 'bypassPermissions']);
  expect(modesOf('claude').map(mode => mode.value)).toEqual(modesOf('codex').map(mode => mode.value));
  expect(words('executor')).toEqual([]);
});
