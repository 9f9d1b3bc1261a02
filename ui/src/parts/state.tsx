// SPDX-License-Identifier: Apache-2.0
import type {State} from '../api';
import {agoWords, momentWords} from '../model/words';
import {now} from '../store';

const statusOf: Record<State, string> = {
  queued: 'pending', working: 'in_progress', waiting: 'paused', completed: 'completed', failed: 'failed', cancelled: 'pending', timeout: 'failed',
};

export const stateWords: Record<State, string> = {
  queued: 'queued', working: 'running', waiting: 'needs you', completed: 'completed', failed: 'failed', cancelled: 'cancelled', timeout: 'timed out',
};

export function StateDot({state}: {state: State}) {
  return <span class={`state-dot state-${state} wxcode-status-${statusOf[state] ?? 'other'}`} role="img" aria-label={stateWords[state] ?? state} />;
}

// How long ago; the moment itself for who points at it.
export function Ago({at}: {at: number}) {
  return <span class="note" title={momentWords(at)}>{agoWords(at, now.value)}</span>;
}

export function StatePill({state}: {state: State}) {
  return (
    <span class={`state-pill state-${state} wxcode-status-${statusOf[state] ?? 'other'}`}>
      <span class="dot" aria-hidden="true" /><span class="state-name">{stateWords[state] ?? state}</span>
    </span>
  );
}
