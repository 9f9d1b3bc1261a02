// SPDX-License-Identifier: Apache-2.0
// Figures and lengths as people say them; the same words as `dragoman show`.

export function durationWords(ms: number): string {
  if (!(ms > 0)) return '0 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  return elapsedWords(ms);
}

// For clocks that tick: whole seconds, nothing that flickers.
export function elapsedWords(ms: number): string {
  const seconds = Math.max(0, Math.min(Math.round(ms / 1000), 1e9));
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
  return `${Math.floor(seconds / 86400)} d ${two(Math.floor((seconds % 86400) / 3600))} h`;
}

// Without the smaller unit, where there is little room.
export function briefElapsed(ms: number): string {
  return elapsedWords(ms).replace(/^(\d+ (?:min|h|d)) .*$/, '$1');
}

export function countWords(count: number): string {
  if (!Number.isFinite(count)) return '?';
  if (count >= 1e7) return `${(count / 1e6).toFixed(1)} M`;
  return Math.round(count).toLocaleString('en-US');
}

export function shortCount(count: number): string {
  if (!Number.isFinite(count)) return '?';
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)}M`;
  if (count >= 1e4) return `${Math.round(count / 1e3)}k`;
  if (count >= 1e3) return `${(count / 1e3).toFixed(1)}k`;
  return String(Math.round(count));
}

export function sizeWords(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

export function costWords(usd: number): string {
  if (usd > 0 && usd < 0.01) return '<$0.01';
  return `$${usd.toFixed(2)}`;
}

export function counted(count: number, noun: string): string {
  return `${countWords(count)} ${noun}${count === 1 ? '' : 's'}`;
}

export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

// The facts of a verdict (run/verdict.cpp). What an agent's program gave as its reason has no such words.
const facts: Record<string, string> = {
  exit_zero: 'exit code 0', exit_nonzero: 'the exit code is not 0', exit_unknown: 'no exit code is known', signal: 'ended by a signal',
  timeout: 'took too long and was ended', hard: 'took too long and was ended', idle: 'said nothing for too long', cancelled: 'was cancelled',
  ended_after_result: 'ended after its last result', ended_unanswered: 'ended because nobody answered', orphaned: 'its supervisor is gone',
  result_ok: 'its last result has no error', turn_ok: 'its last turn has no error', result_error: 'the last result is an error', turn_failed: 'the last turn failed',
  blocked: 'is blocked', question: 'a question is not answered', paused: 'the last status is paused', status_completed: 'the last status is completed',
  completion_claimed: 'the agent says that it is done', reported_failure: 'the agent reported a failure', terminal_event: 'reached its end',
  no_terminal_event: 'did not reach its end', truncated_tail: 'the output stops in the middle of a line', dangling_tools: 'a tool never finished',
  turn_unfinished: 'began another turn and did not end it', in_flight: 'a background task never ended', survivors: 'processes of it could not be ended', unanswered: 'nobody answered its question', incomplete: 'ended before it was done',
};

export function reasonWords(reason: string): string {
  return Object.hasOwn(facts, reason) ? (facts[reason] ?? reason) : spaced(reason);
}

// What a run came to. The name of the state alone does not say what is incomplete.
export function verdictWords(verdict: string): string {
  const words: Record<string, string> = {incomplete: 'ended before it was done', question: 'a question is open', timeout: 'timed out'};
  return Object.hasOwn(words, verdict) ? (words[verdict] ?? verdict) : spaced(verdict);
}

// When something happened, seen from `now`.
export function agoWords(then: number, now: number): string {
  const seconds = Math.max(0, (now - then) / 1000);
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h ago`;
  const date = new Date(then);
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString('en-GB', {day: 'numeric', month: 'short', year});
}

export function clockWords(ms: number): string {
  return new Date(ms).toLocaleTimeString('en-GB');
}

export function momentWords(ms: number): string {
  return new Date(ms).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'long'});
}
