// SPDX-License-Identifier: Apache-2.0
// Real clients against `dragoman mcp` (and /mcp of `dragoman serve`): the official TypeScript SDK and
// the inspector list and call all fifteen tools. usage: delegation_clients.mjs DRAGOMAN [stdio|http|inspector]
// A stand-in for codex does the work; the SDK holds every answer to its outputSchema.
import { spawn, spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [dragoman, only] = process.argv.slice(2);
const modules = join(here, 'node_modules');
if (!existsSync(join(modules, '@modelcontextprotocol', 'sdk'))) {
  console.log('the clients are not installed: npm ci --prefix tests/mcp');
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}
const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');

const place = mkdtempSync(join(tmpdir(), 'dragoman-clients-'));
const work = join(place, 'work');
for (const name of ['work/.git', 'bin', 'cloud', '.config/mcp-delegator']) mkdirSync(join(place, name), { recursive: true });
symlinkSync(join(here, '..', 'agents', 'codex_stand_in.py'), join(place, 'bin', 'codex'));
writeFileSync(join(place, '.config/mcp-delegator/environments.json'),
  '[{"id":"env_a","name":"A","repository":"https://github.com/u/a","tech_stack":"node"}]');
writeFileSync(join(place, 'cloud/environments'), 'env_a');
writeFileSync(join(place, 'signed-in'), '');
const env = {
  PATH: `${join(place, 'bin')}:/usr/local/bin:/usr/bin:/bin`, HOME: place, LANG: 'C.UTF-8',
  DRAGOMAN_STATE_DIR: join(place, 'state'),
};

// Every tool once, in an order in which each has something to work on. Returns the names. `own` is the
// environment that the server has.
async function callAll(call, own = env) {
  const called = new Set();
  const ask = async (name, args, expected = 'ok') => {
    const result = await call(name, { ...args, format: 'json' });
    const envelope = result.structuredContent;
    assert.equal(envelope.tool, name);
    assert.equal(envelope.status, expected, `${name}: ${JSON.stringify(envelope.error)}`);
    assert.equal(Boolean(result.isError), expected === 'error');
    assert.deepEqual(JSON.parse(result.content[0].text), envelope);
    called.add(name);
    return envelope.data ?? envelope.error;
  };
  const run = await ask('_codex_local_run', { task: 'COMMAND', working_dir: work });
  const waited = await ask('_codex_local_wait', { task_id: run.task_id });
  assert.equal(waited.state, 'completed');
  assert.equal(waited.metadata.test_results.passed, 47);
  const exec = await ask('_codex_local_exec', { task: 'SLEEP 60', workingDir: work });
  await ask('_codex_local_cancel', { taskId: exec.task_id, reason: 'enough' });
  const resumed = await ask('_codex_local_resume', { task: 'more', task_id: run.task_id, async: false });
  assert.equal(resumed.capability, 'foreground');
  await ask('_codex_local_results', { task_id: resumed.task_id, include_output: true, include_events: true });
  const status = await ask('_codex_local_status', {});
  assert.ok(status.summary.recently_completed >= 3);
  const environments = await ask('_codex_cloud_list_environments', {});
  const cloud = await ask('_codex_cloud_submit', { task: 'x', env_id: environments.environments[0].id });
  await ask('_codex_cloud_status', { list: true });
  const refused = await ask('_codex_cloud_cancel', { task_id: cloud.task_id }, 'error');
  assert.equal(refused.details.reason, 'cancel_not_available');
  const file = join(place, 'cloud', `${cloud.web_ui_url.split('/').pop()}.json`);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file)), status: 'ready' }));
  const done = await ask('_codex_cloud_wait', { taskId: cloud.task_id });
  assert.equal(done.state, 'completed');
  await ask('_codex_cloud_results', { task_id: cloud.task_id });
  const listed = JSON.parse(spawnSync(dragoman, ['task', 'list', '--json', '--state', 'completed'],
    { encoding: 'utf8', env: own, cwd: work }).stdout).map((each) => each.task_id);
  assert.ok(listed.includes(cloud.task_id) && listed.includes(run.task_id), `task list: ${listed}`);
  await ask('_codex_cloud_github_setup', { repo_url: 'https://github.com/u/r', stack: 'node' });
  await ask('_codex_cleanup_registry', { dry_run: true });
  const wrong = await ask('_codex_local_wait', { tsk_id: 'x' }, 'error');
  assert.equal(wrong.details.reason, 'unknown_parameter');
  return called;
}

async function withSdk(transport) {
  const client = new Client({ name: 'delegation_clients.mjs', version: '1' }, { capabilities: {} });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 15);
  for (const tool of tools) assert.ok(tool.inputSchema && tool.outputSchema && tool.annotations, tool.name);
  const progress = [];
  const called = await callAll((name, args) => client.callTool({ name, arguments: args }, undefined,
    { onprogress: (told) => progress.push(told), timeout: 120000 }));
  assert.equal(called.size, 15);
  for (const told of progress) assert.ok(typeof told.progress === 'number');
  const { resources } = await client.listResources();
  assert.equal(resources.length, 5);
  const template = await client.readResource({ uri: resources[0].uri });
  assert.ok(JSON.parse(template.contents[0].text).setupScript);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((each) => each.name), ['delegate', 'review']);
  const completed = await client.complete({ ref: { type: 'ref/prompt', name: 'delegate' }, argument: { name: 'agent', value: 'cl' } });
  assert.deepEqual(completed.completion.values, ['claude']);
  await assert.rejects(client.callTool({ name: '_codex_local_fly', arguments: {} }));
  await client.close();
}

// A server on a free port, and the token that it wants.
async function withServe(use) {
  const server = spawn(dragoman, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: work });
  try {
    let said = '';
    const port = await new Promise((resolve, reject) => {
      const look = (data) => {
        said += data;
        const found = said.match(/http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/);
        if (found) resolve(found[1]);
      };
      server.stdout.on('data', look);
      server.stderr.on('data', look);
      server.on('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)));
    });
    const token = readFileSync(tokenFile(), 'utf8').trim();
    await use(new URL(`http://127.0.0.1:${port}/mcp`), token);
  } finally {
    server.kill('SIGTERM');
  }
}

function tokenFile() {
  const found = readdirSync(join(place, 'state')).find((name) => /token/.test(name));
  assert.ok(found, 'serve wrote no token file');
  return join(place, 'state', found);
}

async function overHttp() {
  await withServe(async (url, token) => {
    await withSdk(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  });
}

// One process for each call, as a person at a shell would do it.
async function withInspector() {
  const node = join(modules, `node-linux-${arch() === 'arm64' ? 'arm64' : 'x64'}`, 'bin', 'node');
  const inspector = join(modules, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  const inspect = (...words) => {
    const ended = spawnSync(node, [inspector, '--cli', dragoman, 'mcp', ...words],
      { encoding: 'utf8', env: { ...env, PATH: `${dirname(node)}:${env.PATH}` }, cwd: work, timeout: 120000, maxBuffer: 1 << 26 });
    const from = ended.stdout.indexOf('{');
    assert.ok(from >= 0, `${words.join(' ')}: ${ended.status} ${ended.stderr}`);
    return JSON.parse(ended.stdout.slice(from));
  };
  assert.equal(inspect('--method', 'tools/list').tools.length, 15);
  const called = await callAll((name, args) => {
    const words = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`]);
    return inspect('--method', 'tools/call', '--tool-name', name, ...words);
  }, { PATH: env.PATH, HOME: env.HOME });  // it hands on no more than that
  assert.equal(called.size, 15);
}

const suites = {
  stdio: () => withSdk(new StdioClientTransport({ command: dragoman, args: ['mcp'], env, cwd: work })),
  http: overHttp,
  inspector: withInspector,
};
let failed = false;
for (const [name, run] of Object.entries(suites)) {
  if (only && only !== name) continue;
  try {
    await run();
    console.log(`ok   ${name}`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
// The runner goes by itself once nothing waits.
spawnSync(dragoman, ['task', 'work'], { env, cwd: work });
rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
process.exit(failed ? 1 : 0);
