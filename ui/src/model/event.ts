// SPDX-License-Identifier: Apache-2.0
// The canonical events as the server sends them. Everything in `data` was written by an agent: it is
// shown, never obeyed, and never put into the page as markup.

export interface Origin {
  dialect: string;
  via?: string;
  stream: 'stdout' | 'stderr';
  offset: number;
  length: number;
  at?: number;
  line: number;
  channel: string;
  parent?: string;
}

// What choosing an option of a permission does.
export type Grant = 'allow_once' | 'allow_session' | 'allow_always' | 'deny';

export interface Option {
  label: string;
  description?: string;
  grants?: Grant;
}

// What a permission is asked for, as far as the agent says so.
export interface Wants {
  tool?: string;
  command?: string;
  files?: {path: string; action?: FileChange['action']; old_text?: string; new_text?: string; diff?: string}[];
  cut?: boolean; // it was too long: something is missing
}

export interface FileChange {
  path: string;
  action: 'created' | 'modified' | 'deleted' | 'renamed' | 'unknown';
  from?: string;
  note?: string;
}

export interface TestCase {
  name: string;
  status?: string;
  note?: string;
}

export interface LintItem {
  file?: string;
  line?: number;
  column?: number;
  severity?: string;
  message?: string;
  rule?: string;
}

export interface Dependency {
  name: string;
  version?: string;
  manager?: string;
  reason?: string;
}

export interface Payloads {
  session_started: {
    session_id?: string;
    model?: string;
    cwd?: string;
    version?: string;
    tools?: string[];
    mcp_servers?: {name: string; status?: string}[];
  };
  command_started: {command?: string; args?: string; title?: string; phase?: number; plan?: string};
  text: {text: string; block?: number};
  thinking: {text: string; redacted?: boolean};
  tool_started: {
    id?: string;
    tool?: string;
    description?: string;
    command?: string;
    file?: string;
    mcp_tool?: string;
    input?: unknown;
  };
  tool_finished: {
    id?: string;
    tool?: string;
    outcome: 'ok' | 'failed' | 'denied' | 'abandoned';
    output?: string;
    error?: string;
    exit_code?: number;
    duration_ms?: number;
  };
  status: {
    status?: string;
    message?: string;
    progress?: number;
    phase?: number;
    plan?: string;
    task?: string;
    activity?: string;
    resets_at?: number; // seconds since 1970, of a limit that is waited for
    steps?: {done: number; total: number};
    items?: unknown; // the steps by name, as the agent's program wrote them
  };
  question: {
    id?: string;
    kind?: 'question' | 'approval' | 'blocked';
    source?: string;
    state: 'open' | 'answered' | 'withdrawn' | 'unanswered';
    header?: string;
    text?: string;
    options: Option[];
    multi_select?: boolean;
    free_text?: boolean;
    context?: string[];
    secret?: boolean;
    wants?: Wants;
    decision?: Grant;
    answer?: string;
  };
  blocked: {reason?: string; context: string[]};
  files_changed: {files: FileChange[]; claimed?: boolean};
  next_action: {command?: string; args?: string; description?: string; priority?: string};
  failure: {
    code?: string;
    message?: string;
    recoverable?: boolean | 'unknown';
    suggestion?: string;
    reason?: string;
  };
  usage: {
    input_tokens?: number;
    cached_input_tokens?: number;
    cache_write_tokens?: number;
    output_tokens?: number;
    reasoning_tokens?: number;
    cost_usd?: number;
    scope?: 'message' | 'turn' | 'thread' | 'run';
    final?: boolean;
    message_id?: string;
  };
  rate_limited: {
    status?: string;
    resets_at?: number;
    limit?: string;
    utilization?: number;
    attempt?: number;
    delay_ms?: number;
  };
  completion_claimed: {by?: string; iterations?: number; text?: string};
  turn_finished: {
    ok?: boolean;
    subtype?: string;
    terminal_reason?: string;
    num_turns?: number;
    duration_ms?: number;
    text?: string;
  };
  finished: {verdict?: string; reasons: string[]; exit_code?: number; signal?: string};
  artifact_updated: {artifact?: string; scope?: string; name?: string; path?: string};
  server_ready: {url?: string};
  goto: {step?: string};
  context_request: {type?: string; query?: string; library?: string; fields?: Record<string, string>};
  test_results: {
    passed?: number;
    failed?: number;
    skipped?: number;
    duration_s?: number;
    framework?: string;
    tests: TestCase[];
  };
  lint_warnings: {items: LintItem[]; summary?: string};
  dependency_needed: {items: Dependency[]};
  commit_suggestion: {subject?: string; body?: string};
  quoted_marker: {raw?: string; reason?: string};
  malformed: {raw?: string; reason?: string; detail?: string; type?: string};
  oversize: {bytes?: number; head?: string; tail?: string};
  unknown: {type?: string; raw?: unknown};
  diagnostic: {rule?: string; level?: 'error' | 'warning' | 'info'; message?: string};
}

export type Kind = keyof Payloads;

interface Envelope<K extends Kind> {
  seq?: number;
  ts?: string;
  kind: K;
  data: Payloads[K];
  origin: Origin;
  partial?: boolean;
}

// One member a kind, so that `switch (event.kind)` knows its data.
export type CanonicalEvent = {[K in Kind]: Envelope<K>}[Kind];
export type EventOf<K extends Kind> = Envelope<K>;
