// SPDX-License-Identifier: Apache-2.0
// Hostile strings in every field of every event, run and question, and what watches the page.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

// tests/data/hostile_strings.txt says how the lines are written.
function unescape(line) {
  let out = '';
  const code = (at, length) => parseInt(line.slice(at, at + length), 16);
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] !== '\\') {
      out += line[i];
      continue;
    }
    i += 1;
    const c = line[i];
    if (c === 'x') { out += String.fromCharCode(code(i + 1, 2)); i += 2; }
    else if (c === 'u') { out += String.fromCodePoint(code(i + 1, 4)); i += 4; }
    else if (c === 'U') { out += String.fromCodePoint(code(i + 1, 8)); i += 8; }
    else if (c === 'R') {
      const close = line.indexOf('}', i);
      const end = line.indexOf('}', close + 1);
      out += unescape(line.slice(close + 2, end)).repeat(Math.min(4000, Number(line.slice(i + 2, close))));
      i = end;
    } else out += {n: '\n', r: '\r', t: '\t'}[c] ?? c;
  }
  return out;
}

export function hostileStrings(sourceDir) {
  const file = readFileSync(join(sourceDir, 'tests/data/hostile_strings.txt'), 'utf8');
  return file.slice(file.indexOf('\n\n') + 2).split('\n').filter(Boolean).map(unescape);
}

const origin = {dialect: 'wxcode', stream: 'stdout', offset: 0, length: 10, line: 1, channel: 'stdout'};

// One event of each kind, and the variants that look different.
export function hostileEvents(text) {
  const event = (kind, data, more = {}) => ({kind, data, origin: {...origin, ...more}});
  const tool = {id: text, tool: text, description: text, command: text, file: text, mcp_tool: text, input: {[text]: text}};
  const question = {id: text, kind: 'question', source: 'comment', header: text, text, options: [{label: text, description: text}, {label: text}], context: [text], answer: text};
  return [
    event('session_started', {session_id: text, model: text, cwd: text, version: text, tools: [text], mcp_servers: [{name: text, status: text}]}),
    event('command_started', {command: text, args: text, title: text, plan: text}),
    event('text', {text, block: 1}), event('text', {text: `\n\n${text}\n\n| ${text} | b |\n|---|---|\n| [x](${text}) | ![y](${text}) |\n\n<${text}> [${text}](${text})`, block: 2}),
    event('thinking', {text}), event('text', {text}, {channel: 'noise'}), event('text', {text}, {stream: 'stderr', channel: 'stderr'}),
    event('text', {text: `\x1b[1;31;42m${text}\x1b[0;38;2;1;2;3m${text}\x1b[4;7m${text}`}, {stream: 'stderr', channel: 'stderr'}),
    event('tool_started', tool), event('tool_finished', {id: text, tool: text, outcome: 'failed', output: text, error: text, exit_code: 3}),
    event('tool_started', {...tool, id: 'a', tool: 'Agent'}), event('tool_started', {...tool, id: 'b'}, {parent: 'a'}), event('text', {text}, {parent: 'a', channel: 'subagent_text'}),
    event('tool_finished', {id: 'b', outcome: 'denied', error: text}, {parent: 'a'}), event('tool_finished', {id: 'a', outcome: text, output: text}),
    event('status', {status: text, message: text, progress: 50, plan: text, task: text}), event('status', {activity: text, message: text}),
    event('question', {...question, id: 'open', state: 'open'}), event('question', {...question, state: 'answered'}), event('question', {...question, id: text + 2, state: text, kind: text}),
    event('blocked', {reason: text, context: [text]}), event('files_changed', {files: [{path: text, action: text, from: text, note: text}, {path: text + '/x', action: 'created'}], claimed: true}),
    event('next_action', {command: text, args: text, description: text, priority: text}), event('next_action', {command: text, description: text, priority: 'required'}, {dialect: 'markers'}),
    event('failure', {code: text, message: text, recoverable: true, suggestion: text, reason: text}), event('usage', {input_tokens: 5, output_tokens: 6, cost_usd: 0.1, scope: 'run', message_id: text}),
    event('rate_limited', {status: text, limit: text, resets_at: 5, utilization: 0.5, attempt: 1, delay_ms: 3}), event('completion_claimed', {by: text, text}),
    event('turn_finished', {ok: false, subtype: text, terminal_reason: text, text}), event('artifact_updated', {artifact: text, scope: text, name: text, path: text}),
    event('server_ready', {url: text}), event('goto', {step: text}), event('context_request', {type: text, query: text, library: text, fields: {[text]: text}}),
    event('test_results', {passed: 1, failed: 1, skipped: 1, framework: text, tests: [{name: text, status: text, note: text}, {name: text, status: 'failed'}]}),
    event('lint_warnings', {items: [{file: text, line: 1, severity: text, message: text, rule: text}], summary: text}), event('dependency_needed', {items: [{name: text, version: text, manager: text, reason: text}]}),
    event('commit_suggestion', {subject: text, body: text}), event('quoted_marker', {raw: text, reason: text}), event('malformed', {raw: text, reason: text, detail: text, type: text}),
    event('oversize', {bytes: 5, head: text, tail: text}), event('unknown', {type: text, raw: {[text]: text}}), event('diagnostic', {rule: text, level: text, message: text}),
    event('finished', {verdict: text, reasons: [text], exit_code: 0, signal: text}),
  ];
}

export function hostileRun(text, i, state = 'working') {
  return {
    id: `T-${i}`, title: text, agent: text, tool: text, state, reason: text, working_dir: text, created_at: Date.now() - i, started_at: Date.now(), completed_at: Date.now(), duration_ms: 5,
    progress: {percent: 5, completed: 1, total: 2, activity: text}, tokens: 5, cost_usd: 0.5, waiting_for: text, summary: text, open_questions: 0, label: text, revision: i + 1,
    text, mode: text, model: text, permission_mode: text, thread_id: text, parent: text, signal: text, exit_code: 1, last_lines: [text], verdict: {state: text, reasons: [text]}, usage: null, questions: [],
  };
}

export function hostileQuestion(text, i) {
  return {
    id: text, run: `r-${i}`, header: text, question: text, context: [text], options: i % 2 ? [{label: text, description: text}, {label: text, description: text}] : [], multi_select: i % 4 === 1,
    allow_free_text: true, secret: i % 6 === 0, state: 'open', answer: null, decision: null, answered_by: text, asked_at: Date.now(), answered_at: null,
  };
}

// Runs in the page before anything of it: whatever hostile text could call is counted. What the page
// itself uses (fetch) is watched from outside, by its requests.
export function hook() {
  window.executions = [];
  const note = name => (...args) => { window.executions.push(`${name}(${String(args[0]).slice(0, 80)})`); };
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open']) window[name] = note(name);
  for (const name of ['XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'Image']) window[name] = function() { note(name)(); };
  for (const name of ['eval', 'Function']) {
    const real = window[name];
    window[name] = function(...args) {
      if (new Error().stack.includes('UtilityScript')) return real.apply(this, args);
      return note(name)(...args);
    };
  }
  navigator.sendBeacon = note('sendBeacon');
  window.addEventListener('error', event => note('error')(event.message), true);
  window.addEventListener('unhandledrejection', event => note('rejection')(event.reason));
}

// Everything that is not ours: elements, attributes, addresses.
export function strangers() {
  const tags = new Set(('html head meta title link script body noscript a header h1 h2 h3 h4 h5 h6 main div p span strong em del code pre ul ol li br hr blockquote table thead tbody tr th td ' +
    'dl dt dd details summary svg rect line g text path circle button form fieldset legend label input textarea select option nav aside section figure figcaption kbd mark dialog').split(' '));
  const attributes = new Set(('lang charset content name class href rel id tabindex role dir open viewbox width height x y x1 x2 y1 y2 rx d start scope type src crossorigin target title disabled ' +
    'value checked placeholder autocomplete autocapitalize enterkeyhint maxlength spellcheck rows required for focusable style novalidate').split(' '));
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    if (!tags.has(element.localName)) found.push(`<${element.localName}>`);
    for (const {name, value} of element.attributes) {
      if (!attributes.has(name.toLowerCase()) && !/^(aria|data)-[a-z]+$/.test(name)) found.push(`${element.localName}[${name}]`);
      if (name === 'href' && !/^(https?:\/\/|mailto:|#main$|\/(?!\/))/i.test(value)) found.push(`href=${value}`);
      if (name === 'href' && /^\//.test(value) && element.localName === 'a' && !element.hasAttribute('data-go')) found.push(`own address from outside: ${value}`);
      if (name === 'style' && !/^(|top: [\d.]+px; height: [\d.]+px;|height: [\d.]+px;|width: [\d.]+%;|--top: [\d.]+px;( --foot: [\d.]+px;)?|color: rgb\([\d, ]+\); background-color: rgb\([\d, ]+\);|--on-light: #[0-9a-f]{6}; --on-dark: #[0-9a-f]{6};)$/.test(value)) found.push(`style=${value}`);
      if ((name === 'id' || name === 'name') && !/^[\w:-]{1,40}$/.test(value)) found.push(`${name}=${value}`);
      if (name === 'src' && !/^\/assets\//.test(value)) found.push(`src=${value}`);
    }
  }
  return found;
}
