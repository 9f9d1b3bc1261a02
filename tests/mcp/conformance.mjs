// SPDX-License-Identifier: Apache-2.0
// Runs the official conformance suite of MCP, both lines of it, against `dragoman serve --conformance`, and
// the scenarios that need no fixture against the product's own tools. Fails when a scenario fails.
// usage: conformance.mjs DRAGOMAN [SCENARIO [ARGUMENTS]]     one scenario, with all it says
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import { arch, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [dragoman, only, ...more] = process.argv.slice(2);
const modules = join(here, 'node_modules');
const node = join(modules, `node-linux-${arch() === 'arm64' ? 'arm64' : 'x64'}`, 'bin', 'node');
const suite = (name) => join(modules, name, 'dist', 'index.js');

if (![node, suite('conformance'), suite('conformance-legacy')].every(existsSync)) {
  console.log('the conformance suite is not installed: npm ci --prefix tests/mcp');
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}

// Each run: what it is, the suite, its arguments, and how many scenarios must pass. The runs by
// requirements also contain what is not scored: none of that may fail either.
const runs = [
  ['0.1.16, all', 'conformance-legacy', ['--suite', 'all'], 32],
  ['0.2.0-alpha, 2025-11-25', 'conformance', ['--requirements', '2025-11-25'], 33],
  ['0.2.0-alpha, 2026-07-28', 'conformance', ['--requirements', '2026-07-28'], 50],
];
const ownTools = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list',
    'dns-rebinding-protection', 'server-session-lifecycle', 'server-sse-multiple-streams'],
  '2026-07-28': ['tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'caching',
    'sep-2164-resource-not-found', 'http-header-validation', 'input-required-result-unsupported-methods',
    'completion-complete', 'server-stateless'],
};
// A scenario of many checks may need a tool of the fixture for some: those it says it cannot test.
const errors = (output) => [...output.matchAll(/^ +Error: (.*)$/gm)].map(([, what]) => what);
const onlyUntestable = (output) =>
  errors(output).length > 0 && errors(output).every((what) => what.startsWith('Not testable: '));

const state = mkdtempSync(join(tmpdir(), 'dragoman-conformance-'));
const env = { PATH: process.env.PATH, HOME: state, DRAGOMAN_STATE_DIR: state };
const children = [];

// {url, token} of a server on any free port.
function serve(...options) {
  const child = spawn(dragoman, ['serve', '--port', '0', '--json', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'], env });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      if (said.includes('\n')) resolve(JSON.parse(said.split('\n')[0]));
    });
    child.on('exit', (code) => reject(new Error(`serve ended with ${code}`)));
  });
}

// The suite sends no token: this adds it, and says the server's own name where its own is meant.
function withToken({ url, token }) {
  const target = new URL(url);
  const proxy = createServer((request, response) => {
    const own = new RegExp(`(localhost|127\\.0\\.0\\.1):${proxy.address().port}`);
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    for (const name of ['host', 'origin']) {
      if (headers[name]) headers[name] = headers[name].replace(own, target.host);
    }
    const forwarded = httpRequest({ host: target.hostname, port: target.port, path: request.url,
      method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  });
  return new Promise((resolve) => {
    proxy.listen(0, '127.0.0.1', () => resolve(proxy));
  });
}

function run(name, url, args) {
  return new Promise((resolve) => {
    const child = spawn(node, [suite(name), 'server', '--url', url, '-o', join(state, 'results'), ...args]);
    let output = '';
    child.stdout.on('data', (data) => { output += data; });
    child.stderr.on('data', (data) => { output += data; });
    child.on('close', (code) => resolve({ code, output }));
  });
}

// The suite's own summary: "✓ name: 3 passed, 0 failed" for each scenario.
function scenarios(output) {
  return [...output.matchAll(/[✓✗~] ([a-z0-9-]+): (\d+) passed, (\d+) failed/g)]
    .map(([, name, passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }));
}

let failures = 0;
function report(what, ok, detail, output) {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${what}${detail ? `: ${detail}` : ''}`);
  if (ok) return;
  failures += 1;
  console.log(output.slice(-8000));
}

let proxy;
try {
  const { url } = await serve('--conformance');
  const fixture = `${url.replace('127.0.0.1', 'localhost')}/mcp`;
  if (only) {
    const { code, output } = await run('conformance', fixture, ['--scenario', only, '--verbose', ...more]);
    console.log(output);
    process.exitCode = code;
  } else {
    for (const [what, name, args, wanted] of runs) {
      const { code, output } = await run(name, fixture, args);
      const found = scenarios(output);
      const bad = found.filter((each) => each.failed > 0).map((each) => each.name);
      report(what, code === 0 && bad.length === 0 && found.length >= wanted,
        `${found.length - bad.length} of ${found.length} scenarios pass, ${wanted} wanted ${bad.join(' ')}`, output);
    }
    proxy = await withToken(await serve());
    const own = `http://localhost:${proxy.address().port}/mcp`;
    for (const [version, names] of Object.entries(ownTools)) {
      for (const name of names) {
        const { code, output } = await run('conformance', own, ['--scenario', name, '--spec-version', version]);
        const ok = code === 0 || (name === 'server-stateless' && onlyUntestable(output));
        report(`our own tools, ${version}: ${name}`, ok, '', output);
      }
    }
    process.exitCode = failures ? 1 : 0;
  }
} finally {
  proxy?.closeAllConnections();
  proxy?.close();
  for (const child of children) child.kill('SIGTERM');
  rmSync(state, { recursive: true, force: true });
}
