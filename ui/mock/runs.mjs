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
    summary: null, open_questions: 0, label: null, revision: 1, ...more,
  };
}

const titles = ['Fix the failing login test', 'Move session tokens to the store', 'Update the dependency lock files', 'Explain the retry policy', 'Rename the billing module', 'Add pagination to the audit log', 'Find the memory leak in the importer', 'Write the migration for invoices'];
const summaries = ['All 214 tests pass.', 'Three files changed; the old cookie is gone.', 'Nothing to do: everything is current.', 'The retry policy is explained in docs/retry.md.', 'Stopped: the tests need a database.'];

export function finishedRuns(count) {
  const now = Date.now();
  return Array.from({length: count}, (_, i) => {
    const created = now - 600_000 - i * 420_000;
    const state = i % 17 === 3 ? 'failed' : i % 29 === 5 ? 'cancelled' : i % 53 === 7 ? 'timeout' : 'completed';
    return run(`T-local-done-${i}`, {
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
