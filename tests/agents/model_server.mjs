// SPDX-License-Identifier: Apache-2.0
// A model that says what the prompt asks it to say: the server side of the Anthropic Messages and
// the OpenAI Responses protocol, as far as Claude Code and Codex need it for a whole session.
//
//   node model_server.mjs [PORT_FILE]
//
// It listens on a free port of 127.0.0.1, writes the number to PORT_FILE and to stdout, and opens
// no connection of its own. The word behind "script=" in the newest prompt that has one chooses
// what is played; each request of a turn is the next step of it.
import fs from 'node:fs';
import http from 'node:http';

const question = {
  question: 'Which authentication method should I use?',
  header: 'Auth',
  options: [
    { label: 'OAuth2', description: 'with a provider' },
    { label: 'JWT', description: 'stateless tokens' },
  ],
};
const say = (text) => [{ text }];
const comment = (questions) => `I need a decision.\n\n<!--QUESTION:${JSON.stringify({ questions })}-->`;
const taskId = (seen) => /T-local-[a-z0-9]+/.exec(seen)?.[0] ?? 'none';
const httpError = (status, type, message, headers = {}) => [{ status, type, message, headers }];

let limitEnds;

// A step is what one request is answered with: {text}, {tool, input}, {status…} or {hang}; or a
// function that makes one of the transcript.
const scripts = {
  plain: say('Hello from the model.'),
  echo: (prompt) => say(`You said: ${prompt}`),
  tool: [{ tool: 'shell', input: 'echo made by a tool > made.txt && cat made.txt' }, { text: 'The tool has run.' }],
  twice: [{ tool: 'shell', input: 'touch made.txt' }, { tool: 'shell', input: 'touch made.txt' }, { text: 'Touched twice.' }],
  file: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }, { text: 'The file is written.' }],
  question: say(comment([question])),
  questions: say(comment([question, { question: 'What is the endpoint called?', header: 'Name', options: [], freeText: true }])),
  ask: [{ tool: 'ask', input: { questions: [{ ...question, multiSelect: false }] } }, { text: 'Thank you for the answer.' }],
  blocked: say('I cannot go on.\n\n[BLOCKED] The API base URL is missing\nIt is not in .env\n'),
  slow: [{ text: 'word '.repeat(400), pause: 50 }],
  nap: [{ tool: 'shell', input: 'touch napping; sleep 4' }, { text: 'Napped.' }],
  sleep: [{ tool: 'shell', input: 'sleep 60' }, { text: 'Slept.' }],
  hang: [{ hang: true }],
  // Hands a task to another agent through our MCP server and reports what that one said.
  delegate: [
    { tool: 'mcp', name: '_codex_local_run', input: { task: 'script=plain', agent: 'claude' } },
    (seen) => ({ tool: 'mcp', name: '_codex_local_wait', input: { task_id: taskId(seen), include_output: true } }),
    (seen) => ({ text: /Hello from the model/.test(seen) ? 'The other agent said hello.' : 'The other agent said nothing.' }),
  ],
  error400: httpError(400, 'invalid_request_error', 'the request is bad on purpose'),
  error500: httpError(500, 'api_error', 'broken on purpose'),
  // A usage limit that is over a few seconds after it was first met.
  limited: () => {
    limitEnds ??= Math.ceil(Date.now() / 1000) + 3;
    if (Date.now() / 1000 > limitEnds) return say('The limit is over.');
    return httpError(429, 'rate_limit_error', 'usage limit reached', {
      'retry-after': '1',
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(limitEnds),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    });
  },
  limit: httpError(429, 'rate_limit_error', 'too many requests', { 'retry-after': '1' }),
};

let serial = 0;
const id = (prefix) => `${prefix}_${String(++serial).padStart(8, '0')}`;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const words = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

// Turns of the transcript in one form for both protocols.
function position(turns) {
  for (let i = turns.length - 1; i >= 0; i--) {
    const named = turns[i].user && /script=([a-z0-9]+)/.exec(turns[i].text);
    if (!named && !turns[i].answersQuestion) continue;
    const rounds = turns.slice(i + 1).filter((turn) => turn.round).length;
    return { name: named?.[1] ?? 'plain', prompt: turns[i].text, rounds };
  }
  return { name: 'plain', prompt: '', rounds: 0 };
}

// A prompt without a script that follows a question is the answer to it, and is echoed.
function choose(turns) {
  const last = turns.findLastIndex((turn) => turn.user && turn.text.trim() !== '');
  const latest = last < 0 ? '' : turns[last].text.trim().split('\n').at(-1);
  if (last >= 0 && !/script=/.test(turns[last].text) && turns.slice(0, last).some((turn) => /script=/.test(turn.text))) {
    return { text: `Going with: ${latest}` };
  }
  const { name, prompt, rounds } = position(turns);
  const script = scripts[name] ?? scripts.plain;
  const steps = typeof script === 'function' ? script(prompt) : script;
  return steps[Math.min(rounds, steps.length - 1)];
}

async function stream(response, step, send, text) {
  for (const piece of text.match(/.{1,24}/gsu) ?? []) {
    if (step.pause) await wait(step.pause);
    if (response.destroyed) return;
    send(piece);
  }
}

function fail(response, step, body) {
  response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
  response.end(JSON.stringify(body));
}

// ---- Anthropic Messages

function claudeTurns(body) {
  return (body.messages ?? []).map((message) => ({
    user: message.role === 'user' &&
      !(Array.isArray(message.content) && message.content.some((part) => part.type === 'tool_result')),
    text: words(message.content).replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, ''),
    round: message.role === 'assistant',
  }));
}

function claudeBlock(step, body) {
  if (step.text !== undefined) return { type: 'text', text: step.text };
  const cwd = /orking directory: (\/[^\s\\"<]+)/.exec(JSON.stringify([body.system, body.messages]))?.[1] ?? '.';
  const tools = {
    shell: () => ({ name: 'Bash', input: { command: step.input, description: 'Run a command' } }),
    write: () => ({ name: 'Write', input: { file_path: `${cwd}/${step.input.path}`, content: step.input.content } }),
    ask: () => ({ name: 'AskUserQuestion', input: step.input }),
    mcp: () => ({ name: `mcp__dragoman__${step.name}`, input: step.input }),
  };
  return { type: 'tool_use', id: id('toolu'), ...tools[step.tool]() };
}

async function messages(body, response) {
  // Titles and summaries that Claude Code asks for by the way offer no tools.
  let step = (body.tools ?? []).length === 0 ? { text: 'A side answer' } : choose(claudeTurns(body));
  if (typeof step === 'function') step = step(JSON.stringify(body.messages));
  if (step.status) return fail(response, step, { type: 'error', error: { type: step.type, message: step.message } });
  const usage = { input_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 2, output_tokens: 7 };
  const message = { id: id('msg'), type: 'message', role: 'assistant', model: body.model, content: [], stop_reason: null, stop_sequence: null, usage };
  const block = step.hang ? null : claudeBlock(step, body);
  const stop = block?.type === 'tool_use' ? 'tool_use' : 'end_turn';
  if (!body.stream) {
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ ...message, content: [block], stop_reason: stop }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  send('message_start', { message });
  if (step.hang) return;
  const delta = (part) => send('content_block_delta', { index: 0, delta: part });
  if (block.type === 'text') {
    send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    await stream(response, step, (text) => delta({ type: 'text_delta', text }), block.text);
  } else {
    send('content_block_start', { index: 0, content_block: { ...block, input: {} } });
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) });
  }
  if (response.destroyed) return;
  send('content_block_stop', { index: 0 });
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

// ---- OpenAI Responses

function codexTurns(body) {
  const input = Array.isArray(body.input) ? body.input : [{ role: 'user', content: String(body.input ?? '') }];
  return input.map((item) => ({
    user: item.role === 'user' && !/^<(environment_context|user_instructions|permissions|skills)/.test(words(item.content).trim()),
    text: words(item.content),
    round: /_output$/.test(item.type ?? ''),
  }));
}

function codexItem(step) {
  if (step.text !== undefined) {
    return { type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: step.text, annotations: [] }] };
  }
  const patch = step.tool === 'write' &&
    `*** Begin Patch\n*** Add File: ${step.input.path}\n+${step.input.content.trim()}\n*** End Patch\n`;
  const cmd = patch ? `apply_patch <<'EOF'\n${patch}EOF` : String(step.input);
  return { type: 'function_call', id: id('fc'), call_id: id('call'), name: 'exec_command', arguments: JSON.stringify({ cmd, yield_time_ms: 30000 }) };
}

async function responses(body, response) {
  const step = choose(codexTurns(body));
  if (step.status) return fail(response, step, { error: { type: step.type, message: step.message } });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const base = { id: id('resp'), object: 'response', created_at: 1, model: body.model, status: 'in_progress', output: [], usage: null, error: null };
  let number = 0;
  const send = (type, more) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...more })}\n\n`);
  send('response.created', { response: base });
  if (step.hang) return;
  const item = codexItem(step);
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  if (item.type === 'message') {
    send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
    await stream(response, step, (delta) => send('response.output_text.delta', { ...at, delta }), step.text);
  } else {
    send('response.output_item.added', { output_index: 0, item: { ...item, arguments: '' } });
  }
  if (response.destroyed) return;
  send('response.output_item.done', { output_index: 0, item });
  const usage = { input_tokens: 40, input_tokens_details: { cached_tokens: 2 }, output_tokens: 7, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 47 };
  send('response.completed', { response: { ...base, status: 'completed', output: [item], usage } });
  response.end();
}

const server = http.createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const path = request.url.split('?')[0];
  if (request.method === 'POST' && path === '/v1/messages') return messages(JSON.parse(text), response);
  if (request.method === 'POST' && path === '/v1/responses') return responses(JSON.parse(text), response);
  response.writeHead(path === '/v1/models' ? 200 : 404, { 'content-type': 'application/json' });
  response.end(path === '/v1/models' ? '{"data":[],"models":[]}' : '{"input_tokens":40}');
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  if (process.argv[2]) fs.writeFileSync(process.argv[2], `${port}\n`);
  console.log(port);
});
