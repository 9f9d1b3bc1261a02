// SPDX-License-Identifier: Apache-2.0
// Runs for the mock server: recorded events with made-up times.
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';

const golden = join(import.meta.dirname, '../../tests/golden');

export function recorded(name) {
  const text = readFileSync(join(golden, name, 'events.jsonl'), 'utf8');
  return text.split('\n').filter(Boolean).map(line => JSON.parse(line));
}

export function inputOf(name) {
  return readFileSync(join(golden, name, 'input'));
}

// Numbers and times: a step every second or so, so that the timeline has something to draw.
export function timed(events, begin) {
  let at = begin;
  return events.map((event, i) => {
    at += event.kind === 'text' ? 700 : event.kind === 'tool_finished' ? (event.data.duration_ms ?? 1400) : 350;
    return {...event, seq: i + 1, ts: new Date(at).toISOString()};
  });
}

const origin = {dialect: 'claude', stream: 'stdout', offset: 0, length: 120, line: 1, channel: 'assistant_text'};
export const event = (kind, data, more = {}) => ({kind, data, origin: {...origin, ...more}});

export function run(id, more) {
  const now = Date.now();
  return {
    id, title: id, agent: 'claude', tool: 'run', state: 'completed', reason: null, working_dir: '/home/dev/work', created_at: now - 3_600_000,
    started_at: now - 3_599_000, completed_at: now - 3_500_000, duration_ms: 99_000, progress: null, tokens: null, cost_usd: null, waiting_for: null,
    summary: null, open_questions: 0, label: null, waits: null, turns: 1, said: 0, heard: 0, revision: 1, ...more,
  };
}

const titles = ['Fix the failing login test', 'Move session tokens to the store', 'Update the dependency lock files', 'Explain the retry policy', 'Rename the billing module', 'Add pagination to the audit log', 'Find the memory leak in the importer', 'Write the migration for invoices'];
const summaries = ['All 214 tests pass.', 'Three files changed; the old cookie is gone.', 'Nothing to do: everything is current.', 'The retry policy is explained in docs/retry.md.', 'Stopped: the tests need a database.'];

export function finishedRuns(count) {
  const now = Date.now();
  return Array.from({length: count}, (_, i) => {
    const created = now - 600_000 - i * 420_000;
    const state = i % 17 === 3 ? 'failed' : i % 29 === 5 ? 'cancelled' : i % 53 === 7 ? 'timeout' : 'completed';
    return run(`r-done-${i}`, {
      title: titles[i % titles.length], agent: i % 3 === 0 ? 'codex' : 'claude', state, created_at: created, started_at: created + 900,
      completed_at: created + 60_000 + (i % 37) * 9_000, duration_ms: 60_000 + (i % 37) * 9_000, tokens: 12_000 + (i * 7919) % 90_000,
      cost_usd: ((i * 31) % 190) / 100, summary: summaries[i % summaries.length], revision: i + 1,
    });
  });
}

// A run that shows every kind of block at once.
export function showcase() {
  const parts = [...recorded('claude/005_recorded_agent_forward'), ...recorded('wxcode/052_sample_session')];
  for (const dir of ['markers', 'codex', 'claude']) {
    for (const name of readdirSync(join(golden, dir)).filter(n => statSync(join(golden, dir, n)).isDirectory())) {
      const kinds = new Set(['test_results', 'lint_warnings', 'files_changed', 'commit_suggestion', 'dependency_needed', 'server_ready', 'rate_limited']);
      parts.push(...recorded(join(dir, name)).filter(e => kinds.has(e.kind)).slice(0, 2));
    }
  }
  const usage = Array.from({length: 12}, (_, i) => event('usage', {input_tokens: 3000 + 2500 * i, output_tokens: 200 + 260 * i, cost_usd: 0.02 + 0.031 * i, scope: 'run'}));
  const mixed = [];
  parts.forEach((e, i) => {
    mixed.push(e);
    if (i % 9 === 8 && usage.length > 0) mixed.push(usage.shift());
  });
  return mixed.filter(e => e.kind !== 'finished');
}

// An ordinary afternoon of an agent, for the pictures of the documentation.
export function tidyRun() {
  const wx = {dialect: 'wxcode', via: 'claude'};
  const inside = {parent: 'agent-1', channel: 'subagent_text'};
  const tool = (id, name, data, end, more = {}) => [
    event('tool_started', {id, tool: name, ...data}, {channel: 'tool_input', ...more}),
    event('tool_finished', {id, tool: name, outcome: 'ok', ...end}, {channel: 'tool_result', ...more}),
  ];
  const usage = (input, output, cost) => event('usage', {input_tokens: input, output_tokens: output, cost_usd: cost, scope: 'run'});
  return [
    event('session_started', {session_id: '5b7e0c1e-6a41-4f0e-9f63-0d1c2e7b8a90', model: 'claude-opus', cwd: '/home/dev/shop', version: '2.1'}, {channel: 'system'}),
    event('command_started', {command: 'execute-phase', args: '3', title: 'WXCODE ▶ EXECUTING PHASE 3', phase: 3}, wx),
    event('text', {text: 'I will move the session tokens out of the cookie. First a look at where they are read.', block: 1}),
    event('tool_started', {id: 'agent-1', tool: 'Agent', description: 'Find every reader of the cookie', input: {prompt: 'List the places that read the session cookie.'}}, {channel: 'tool_input'}),
    ...tool('g1', 'Grep', {description: 'session_cookie in src'}, {output: 'src/auth/session.ts:14\nsrc/auth/guard.ts:8\nsrc/admin/audit.ts:31\n', duration_ms: 84}, inside),
    ...tool('r1', 'Read', {file: 'src/auth/session.ts'}, {output: '…', duration_ms: 12}, inside),
    event('text', {text: 'Three places read it; `audit.ts` only logs its length.'}, inside),
    event('tool_finished', {id: 'agent-1', tool: 'Agent', outcome: 'ok', output: 'Three places read it.', duration_ms: 9_400}, {channel: 'tool_result'}),
    usage(14_200, 610, 0.06),
    event('status', {status: 'in_progress', message: 'Executing wave 1 of 2', progress: 40, phase: 3, plan: '03-01'}, wx),
    event('text', {text: 'Three places read the cookie. The plan:\n\n1. keep tokens in the **session store**, keyed by a random id\n2. let `guard.ts` ask the store\n3. expire what nobody has used for 30 days\n\n| file | change |\n|---|---|\n| `src/auth/session.ts` | reads and writes the store |\n| `src/auth/guard.ts` | no longer parses the cookie |\n', block: 2}),
    ...tool('e1', 'Edit', {description: 'Keep tokens in the session store', file: 'src/auth/session.ts'}, {duration_ms: 31}),
    ...tool('e2', 'Edit', {description: 'Ask the store for the token', file: 'src/auth/guard.ts'}, {duration_ms: 27}),
    ...tool('b1', 'Bash', {description: 'Run the tests', command: 'npm test -- auth'}, {output: 'Tests  41 passed (41)\nDuration  6.12s\n', duration_ms: 6_900}),
    usage(31_800, 1_940, 0.17),
    event('files_changed', {files: [{path: 'src/auth/session.ts', action: 'modified'}, {path: 'src/auth/guard.ts', action: 'modified'}, {path: 'src/auth/store.ts', action: 'created'}, {path: 'src/auth/cookie.ts', action: 'deleted'}]}),
    event('test_results', {passed: 41, failed: 0, skipped: 1, framework: 'vitest', duration_s: 6.12, tests: []}),
    event('text', {text: 'The tokens live in the store now, and all tests pass.', block: 3}),
    usage(44_100, 2_870, 0.24),
    event('status', {status: 'completed', message: 'Phase 3 complete', progress: 100, phase: 3}, wx),
    event('next_action', {command: 'verify-work', args: '3', description: 'Validate the implemented features', priority: 'recommended'}, wx),
    event('turn_finished', {ok: true, subtype: 'success', num_turns: 9, duration_ms: 88_000}, {channel: 'result'}),
    event('finished', {verdict: 'completed', reasons: ['exit_zero', 'result_ok', 'status_completed'], exit_code: 0}),
  ];
}
