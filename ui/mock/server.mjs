// SPDX-License-Identifier: Apache-2.0
// A server for working on the page without agents: the API of dragoman serve, from recorded events.
//
//   npm run build && npm run mock        http://127.0.0.1:4788
//   npm run mock & npm run dev           the same behind Vite
//
// PORT, RUNS (finished runs, 300), RATE (events a second of the run "flood", 10000),
// DRAGOMAN (a dragoman program that reads dropped files)
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join, normalize} from 'node:path';
import {event, finishedRuns, inputOf, recorded, run, showcase, tidyRun, timed} from './runs.mjs';

const dist = join(import.meta.dirname, '../dist');
const rate = Number(process.env.RATE ?? 10_000);
const runs = new Map();
const events = new Map(); // id → events
const questions = [];
const overview = new Set(); // open responses
const streams = new Map(); // id → open responses
let revision = 20_000;

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

function send(to, kind, data, id) {
  to.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${data}\n\n`);
}

function change(id, more) {
  revision += 1;
  const next = {...runs.get(id), ...more, revision};
  runs.set(id, next);
  const text = JSON.stringify(next);
  for (const to of overview) send(to, 'run', text, revision);
  for (const to of streams.get(id) ?? []) send(to, 'state', text);
}

function append(id, list) {
  const all = events.get(id);
  let text = '';
  for (const one of list) {
    const seq = all.length + 1;
    const made = {...one, seq, ts: new Date().toISOString()};
    all.push(made);
    text += `id: ${seq}\nevent: event\ndata: ${JSON.stringify(made)}\n\n`;
  }
  for (const to of streams.get(id) ?? []) to.write(text);
}

function ask(question) {
  questions.push(question);
  revision += 1;
  for (const to of overview) send(to, 'question', JSON.stringify(question), revision);
  change(question.run, {state: 'waiting', waiting_for: question.question, open_questions: 1});
}

function begin() {
  const now = Date.now();
  for (const done of finishedRuns(Number(process.env.RUNS ?? 300))) runs.set(done.id, done);
  runs.set('r-tidy', run('r-tidy', {title: 'Move the session tokens into the server’s store', tokens: 46_970, cost_usd: 0.24, working_dir: '/home/dev/shop', summary: 'The tokens live in the store now, and all tests pass.', created_at: now - 240_000, completed_at: now - 140_000, duration_ms: 25_800}));
  events.set('r-tidy', timed(tidyRun(), now - 238_000));
  runs.set('r-show', run('r-show', {title: 'Everything there is to draw', label: 'claude', tokens: 48_213, cost_usd: 0.36, summary: 'Recorded events of many runs, one after the other.', created_at: now - 300_000, completed_at: now - 200_000, duration_ms: 97_000}));
  events.set('r-show', timed([...showcase(), event('finished', {verdict: 'completed', reasons: ['exit_code_0', 'turn_ok', 'no_open_questions'], exit_code: 0})], now - 118_000));
  const live = {state: 'working', created_at: now - 84_000, started_at: now - 83_000, completed_at: null, duration_ms: null};
  runs.set('r-live', run('r-live', {...live, title: 'Find out why the importer doubles rows', progress: {percent: 25, completed: 1, total: 4, activity: 'Reading the importer'}, tokens: 9_120, cost_usd: 0.07}));
  events.set('r-live', timed(tidyRun().slice(2, 9), now - 82_000));
  runs.set('r-ask', run('r-ask', {...live, title: 'Add single sign-on to the admin pages', agent: 'codex', progress: {percent: 60, completed: 3, total: 5, activity: 'Choosing a provider'}}));
  events.set('r-ask', timed([
    event('tool_started', {id: 'a1', tool: 'Read', file: 'config/providers.yaml'}), event('tool_finished', {id: 'a1', tool: 'Read', outcome: 'ok', output: 'oauth: true\nsaml: true\n', duration_ms: 14}),
    event('tool_started', {id: 'a2', tool: 'Bash', description: 'Which library versions are there', command: 'npm ls passport'}), event('tool_finished', {id: 'a2', tool: 'Bash', outcome: 'ok', output: 'passport@0.7.0\n', duration_ms: 910}),
    event('text', {text: 'The provider speaks **OAuth 2** and **SAML**. Both would work; they differ in what you have to run.'}),
    event('status', {status: 'paused', message: 'Choosing a provider', progress: 60}),
  ], now - 82_000));
  runs.set('r-queue', run('r-queue', {...live, state: 'queued', started_at: null, title: 'Regenerate the API documentation'}));
  runs.set('flood', run('flood', {...live, created_at: now - 90_000, title: `A stream of ${rate} events a second`}));
  events.set('flood', []);
  ask({id: 'q1', run: 'r-ask', header: 'Auth method', question: 'Which way shall people sign in to the admin pages?', options: [{label: 'OAuth 2 with the company’s provider', description: 'Needs a client id and a redirect address'}, {label: 'SAML', description: 'The provider supports it, the library is old'}, {label: 'Keep passwords', description: 'Only add a second factor'}], multi_select: false, allow_free_text: true, secret: false, state: 'open', answer: null, decision: null, answered_by: null, asked_at: now - 65_000, answered_at: null});
  let step = 0;
  setInterval(() => {
    step += 1;
    const percent = 25 + (step * 3) % 75;
    append('r-live', step % 3 === 0
      ? [event('status', {status: 'in_progress', message: `Checking batch ${step}`, progress: percent})]
      : [event('tool_started', {id: `t${step}`, tool: 'Bash', description: `Look at batch ${step}`, command: `sqlite3 rows.db "select count(*) from batch_${step}"`}),
         event('tool_finished', {id: `t${step}`, tool: 'Bash', outcome: 'ok', output: `${step * 17}`}),
         event('text', {text: `Batch **${step}** holds \`${step * 17}\` rows, as it should. `, block: step})]);
    change('r-live', {progress: {percent, completed: 1, total: 4, activity: `Checking batch ${step}`}});
  }, 2500);
}

// Only while somebody looks: a flood for nobody is only heat.
let flooded = 0;
setInterval(() => {
  if ((streams.get('flood')?.size ?? 0) === 0) return;
  const batch = [];
  for (let i = 0; i < rate / 20; i += 1) {
    flooded += 1;
    const n = flooded;
    if (n % 4 === 0) batch.push(event('tool_started', {id: `f${n}`, tool: 'Read', file: `/src/file_${n}.ts`}), event('tool_finished', {id: `f${n}`, tool: 'Read', outcome: 'ok', output: `line ${n}\n`.repeat(4)}));
    else if (n % 4 < 3) batch.push(event('text', {text: `Event ${n} says something of an ordinary length. `, block: Math.floor(n / 8)}));
  }
  append('flood', batch);
}, 50);

const ordered = () => [...runs.values()].sort((a, b) => b.created_at - a.created_at);

function listRuns(query) {
  const q = (query.get('q') ?? '').toLowerCase();
  let list = ordered();
  const counts = {};
  for (const one of list) counts[one.state] = (counts[one.state] ?? 0) + 1;
  if (query.get('state')) list = list.filter(r => r.state === query.get('state'));
  if (q) list = list.filter(r => r.title.toLowerCase().includes(q));
  const from = Number(query.get('before') ?? 0);
  const limit = Number(query.get('limit') ?? 50);
  return {runs: list.slice(from, from + limit), counts, next: from + limit < list.length ? String(from + limit) : null, revision};
}

function detail(id) {
  const one = runs.get(id);
  const over = !['queued', 'working', 'waiting'].includes(one.state);
  return {...one, text: one.title, thread_id: '0f7c-session', model: 'opus', exit_code: over ? 0 : null, hears: one.agent === 'command' ? null : over ? 'next_turn' : one.agent === 'claude' ? 'now' : 'after_turn', cannot_go_on: one.agent === 'command' ? 'a command takes no messages' : null, messages: messages.get(id) ?? [], verdict: over ? {state: one.state, reasons: ['exit_zero', 'result_ok', 'status_completed']} : null, usage: null, questions: questions.filter(q => q.run === id)};
}

function listEvents(id, query) {
  const all = events.get(id) ?? [];
  const limit = Number(query.get('limit') ?? 500);
  const before = query.get('before');
  const from = before === null ? Number(query.get('from') ?? 1) : Math.max(1, Number(before) - limit);
  const to = before === null ? from + limit : Number(before);
  return {first: all.length > 0 ? 1 : 0, last: all.length, events: all.slice(from - 1, to - 1).map((e, i) => ({seq: from + i, event: e}))};
}

function findIn(id, query) {
  const all = events.get(id) ?? [];
  const words = query.get('q').toLowerCase();
  const from = Number(query.get('from') ?? 1);
  const hits = all.slice(from - 1).map((e, i) => ({seq: from + i, times: JSON.stringify(e.data).toLowerCase().split(words).length - 1})).filter(hit => hit.times > 0);
  return {hits: hits.slice(0, 1000), last: Math.max(all.length, from - 1), more: false};
}

function stream(request, response, set, backlog) {
  response.writeHead(200, {'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store'});
  response.write(': hello\n\n' + backlog);
  set.add(response);
  const beat = setInterval(() => response.write(': beat\n\n'), 15_000);
  request.on('close', () => {
    clearInterval(beat);
    set.delete(response);
  });
}

function answer(key, body) {
  const question = questions.find(q => `${q.run}/${q.id}` === key || q.id === key);
  if (!question) return [404, {error: {code: 'not_found', message: 'no such question'}}];
  if (question.state !== 'open') return [200, {accepted: false, question}];
  const chosen = body.choices?.map(n => question.options[n - 1]?.label);
  if (chosen?.includes(undefined)) return [422, {error: {code: 'validation', message: 'there is no such option'}}];
  Object.assign(question, {state: 'answered', answer: chosen ? chosen.join(', ') : body.answer, answered_by: 'web', answered_at: Date.now()});
  revision += 1;
  for (const to of overview) send(to, 'question', JSON.stringify(question), revision);
  append(question.run, [event('question', {...question, text: question.question, state: 'answered'}), event('text', {text: `Good: **${question.answer}** it is.`})]);
  change(question.run, {state: 'working', waiting_for: null, open_questions: 0});
  return [200, {accepted: true, question}];
}

function parse(body) {
  const program = process.env.DRAGOMAN;
  if (!program) return {dialect: 'wxcode', events: recorded('wxcode/052_sample_session'), verdict: {state: 'incomplete', reasons: ['no_exit_code']}, stats: {}};
  const done = spawnSync(program, ['parse', '-'], {input: body, maxBuffer: 256 * 1024 * 1024});
  const list = done.stdout.toString().split('\n').filter(Boolean).map(line => JSON.parse(line));
  return {dialect: list[0]?.origin.dialect ?? 'text', events: list, verdict: null, stats: {}};
}

function api(path, query, method, body) {
  const found = /^\/runs\/([^/]+)(?:\/(\w+))?$/.exec(path);
  const id = found ? decodeURIComponent(found[1]) : '';
  if (path === '/info') return [200, {version: '0.0.0-mock', name: 'dragoman', features: [], agents: ['claude', 'codex', 'command'], usual_agent: 'codex', modes: {codex: [{value: 'read-only', words: 'read-only'}, {value: 'workspace-write', words: 'workspace-write'}]}, demo: false}];
  if (path === '/runs') return [200, listRuns(query)];
  if (path === '/questions') return [200, {questions: questions.filter(q => q.state === 'open')}];
  if (path === '/search') return [200, {hits: ordered().filter(r => r.title.toLowerCase().includes(query.get('q').toLowerCase())).slice(0, 20).map(r => ({run: r, seq: null, excerpt: `${r.title}: ${r.summary ?? ''}`}))}];
  if (path === '/parse') return [200, parse(body)];
  if (path.startsWith('/questions/')) return answer(decodeURIComponent(path.split('/')[2]), JSON.parse(body));
  if (path === '/tasks' && method === 'POST') {
    const made = `r-new-${revision}`;
    runs.set(made, run(made, {title: JSON.parse(body).task, state: 'queued', created_at: Date.now(), started_at: null, completed_at: null, duration_ms: null}));
    events.set(made, []);
    change(made, {});
    return [202, {run: runs.get(made), queue_position: 1, estimated_start_ms: null}];
  }
  if (!found || !runs.has(id)) return [404, {error: {code: 'not_found', message: 'no such run'}}];
  if (found[2] === undefined) return [200, detail(id)];
  if (found[2] === 'events') return [200, listEvents(id, query)];
  if (found[2] === 'search') return [200, findIn(id, query)];
  if (found[2] === 'messages') return method === 'POST' ? say(id, JSON.parse(body)) : [200, {messages: messages.get(id) ?? []}];
  if (found[2] === 'interrupt') {
    change(id, {state: 'cancelled', completed_at: Date.now(), duration_ms: Date.now() - runs.get(id).created_at, reason: 'interrupted'});
    return [200, runs.get(id)];
  }
  if (found[2] === 'cancel') {
    change(id, {state: 'cancelled', completed_at: Date.now(), duration_ms: Date.now() - runs.get(id).created_at, reason: 'cancelled'});
    return [200, runs.get(id)];
  }
  return [404, {error: {code: 'not_found', message: 'no such thing'}}];
}

const messages = new Map();

// The agent hears it after a while, and answers.
function say(id, {text}) {
  const one = runs.get(id);
  if (one.agent === 'command') return [409, {error: {code: 'cannot_go_on', message: 'a command takes no messages'}}];
  const over = !['queued', 'working', 'waiting'].includes(one.state);
  const number = (one.said ?? 0) + 1;
  const said = {number, text, by: 'dashboard', said_at: Date.now(), state: 'waiting', reason: null, settled_at: null};
  messages.set(id, [...(messages.get(id) ?? []), said]);
  change(id, {said: number, ...(over ? {state: 'queued', completed_at: null, duration_ms: null} : {})});
  if (process.env.DEAF) return [202, {id, number, hears: over ? 'next_turn' : 'now', run: runs.get(id)}];
  setTimeout(() => {
    Object.assign(said, {state: 'delivered', settled_at: Date.now()});
    append(id, [event('text', {text}, {channel: 'user'})]);
    change(id, {heard: number, state: 'working', turns: (one.turns ?? 1) + (over ? 1 : 0)});
  }, 700);
  setTimeout(() => {
    append(id, [event('text', {text: `You said: **${text}**.`}), ...(over ? [event('finished', {verdict: 'completed', reasons: ['result_ok'], exit_code: 0})] : [])]);
    if (over) change(id, {state: 'completed', completed_at: Date.now(), duration_ms: 2_000});
  }, 1800);
  return [202, {id, number, hears: over ? 'next_turn' : 'now', run: runs.get(id)}];
}

const types = {'.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml'};

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://mock');
  if (!url.pathname.startsWith('/api/v1')) {
    const file = normalize(join(dist, url.pathname));
    const path = file.startsWith(dist) && extname(file) !== '' && existsSync(file) ? file : join(dist, 'index.html');
    response.writeHead(200, {'Content-Type': types[extname(path)] ?? 'application/octet-stream', 'Content-Security-Policy': policy});
    response.end(readFileSync(path));
    return;
  }
  const path = url.pathname.slice('/api/v1'.length);
  if (path === '/stream') return stream(request, response, overview, '');
  const streamed = /^\/runs\/([^/]+)\/stream$/.exec(path);
  if (streamed) {
    const id = decodeURIComponent(streamed[1]);
    const from = Number(request.headers['last-event-id'] ?? Number(url.searchParams.get('from') ?? 1) - 1) + 1;
    if (!streams.has(id)) streams.set(id, new Set());
    return stream(request, response, streams.get(id), (events.get(id) ?? []).slice(from - 1).map(e => `id: ${e.seq}\nevent: event\ndata: ${JSON.stringify(e)}\n\n`).join(''));
  }
  if (path.endsWith('/raw')) {
    const offset = Number(url.searchParams.get('offset') ?? 0);
    response.writeHead(200, {'Content-Type': 'text/plain'});
    response.end(inputOf('wxcode/052_sample_session').subarray(offset, offset + Number(url.searchParams.get('length') ?? 65_536)));
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const [status, body] = api(path, url.searchParams, request.method, Buffer.concat(chunks));
  response.writeHead(status, {'Content-Type': 'application/json'});
  response.end(JSON.stringify(body));
}).listen(Number(process.env.PORT ?? 4788), '127.0.0.1', () => console.log(`http://127.0.0.1:${process.env.PORT ?? 4788}`));

begin();
