// SPDX-License-Identifier: Apache-2.0
import type {State} from '../api';

const statusOf: Record<State, string> = {
  queued: 'pending', working: 'in_progress', waiting: 'paused', completed: 'completed', failed: 'failed', cancelled: 'pending', timeout: 'failed',
};

export const stateWords: Record<State, string> = {
  queued: 'queued', working: 'running', waiting: 'needs you', completed: 'completed', failed: 'failed', cancelled: 'cancelled', timeout: 'timed out',
};

export function StateDot({state}: {state: State}) {
  return <span class={`state-dot state-${state} wxcode-status-${statusOf[state] ?? 'other'}`} role="img" aria-label={stateWords[state] ?? state} />;
}

export function StatePill({state}: {state: State}) {
  return (
    <span class={`state-pill state-${state} wxcode-status-${statusOf[state] ?? 'other'}`}>
      <span class="dot" aria-hidden="true" /><span class="state-name">{stateWords[state] ?? state}</span>
    </span>
  );
}
