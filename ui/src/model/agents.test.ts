// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {Info} from '../api';
import {modesOf, offeredAgents} from './agents';

const some = [{value: 'read-only', words: 'looks'}, {value: 'workspace-write', words: 'writes'}];
const info: Info = {
  version: '1', name: 'x', features: [], demo: false,
  agents: ['one', 'two', 'three'], usual_agent: 'two', modes: {one: some.slice(0, 1), two: some, three: []},
};

test('only what the server starts is offered, whoever did it before', () => {
  expect(offeredAgents(info, 'a program')).toEqual(['one', 'two', 'three']);
  expect(offeredAgents(null, 'one')).toEqual(['one']);
  expect(offeredAgents(null, '')).toEqual([]);
});

test('the modes are those that the server names for the agent', () => {
  expect(modesOf(info, 'one')).toEqual(some.slice(0, 1));
  expect(modesOf(info, '')).toEqual(some);
  expect(modesOf(info, 'three')).toEqual([]);
  expect(modesOf(info, 'a program')).toEqual([]);
  expect(modesOf(null, 'one')).toEqual([]);
});
