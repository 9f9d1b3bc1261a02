// SPDX-License-Identifier: Apache-2.0
// What people say to a run: what becomes of it, in words.
import type {Hearing, RunDetail, Said} from '../api';
import {neutralLine} from './neutral';

const hearingWords: Record<Hearing, string> = {
  now: 'The agent hears it at once, while it works.',
  after_turn: 'The agent hears it after its turn.',
  next_turn: 'The agent goes on with it.',
};

const most = 5; // messages that are shown below the conversation

// Those that are not part of the conversation: on their way, or lost since the last one that arrived.
export function unheard(messages: Said[]): Said[] {
  const arrived = messages.findLastIndex(message => message.state === 'delivered');
  return messages.filter((message, at) => message.state === 'waiting' || message.state === 'taken' || (message.state === 'undelivered' && at > arrived)).slice(-most);
}

// When the agent would hear a message that is sent now.
export function hearingOf(run: RunDetail): string {
  const hears = run.hears ?? 'next_turn';
  // The program that has asked is gone, and goes on with an answer as well as with a message.
  if (run.state === 'waiting' && hears === 'next_turn') return 'The agent goes on with it and takes its question back.';
  return hearingWords[hears];
}

export function stateOf(message: Said, run: RunDetail): string {
  if (message.state === 'undelivered') return `not delivered${message.reason ? `: ${neutralLine(message.reason)}` : ''}`;
  if (message.state === 'taken') return 'being handed to the agent';
  return run.state === 'queued' ? 'waiting: the agent hears it when the run has a slot' : 'waiting: the agent hears it after its turn';
}

