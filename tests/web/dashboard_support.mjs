// SPDX-License-Identifier: Apache-2.0
// A dragoman serve with a state directory of its own, agents that are shell scripts, and a browser.
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {browserPath} from '../e2e/browser_path.mjs';

export const [sourceDir, program] = process.argv.slice(2, 4).map(path => resolve(path));
const require = createRequire(join(sourceDir, 'tests/e2e/'));
// Whether the full counts are wanted (./dev soak); everyday runs do a share of them.
export const full = Number(process.env.DRAGOMAN_SCALE ?? 0.05) >= 1;

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}

let chromium;
export let axeSource = '';
try {
  ({chromium} = require('playwright-core'));
  axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch {
  skip('playwright-core is not installed (npm ci --prefix tests/e2e)');
}
if (!existsSync(browserPath)) skip(`no browser at ${browserPath} (apt-get install chromium-headless-shell)`);
try {
  execFileSync(program, ['help', 'serve'], {stdio: 'ignore'});
} catch {
  skip('this build has no command serve');
}
if (!existsSync(join(sourceDir, 'ui/dist/index.html'))) skip('the dashboard is not built (./dev build)');

// Its pages wait as long as a loaded machine may need, and stand still: here every frame of a moving
// mark is painted by the processor.
export async function openBrowser() {
  const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--enable-precise-memory-info']});
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async options => {
    const context = await newContext({reducedMotion: 'reduce', ...options});
    context.setDefaultTimeout(90_000);
    return context;
  };
  return browser;
}

// Waits for a condition as long as a loaded machine may need.
export async function eventually(what, condition, timeout = 60_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

export class Place {
  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'dragoman-dashboard-'));
    mkdirSync(join(this.path, 'work'));
    this.environment = {
      PATH: process.env.PATH, HOME: this.path, DRAGOMAN_STATE_DIR: join(this.path, 'state'), CODEX_MAX_CONCURRENCY: '4',
    };
    this.port = 0;
    this.runs = [];
  }

  tool(...words) {
    return execFileSync(program, words, {cwd: join(this.path, 'work'), env: this.environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']}).trim();
  }

  script(name, text) {
    const file = join(this.path, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`, {mode: 0o755});
    return file;
  }

  // A task of a shell script; its id.
  submit(text) {
    return this.tool('task', 'submit', '--', '/bin/sh', '-c', text);
  }

  // A run of a program that is called again with the answer to its question; the id of the run. Its
  // stdin stays open, so that it waits for an answer from anywhere.
  runExecutor(name, text, description) {
    return this.runAsking(['--agent', 'executor', '--io', 'jsonl', '--', this.script(name, text), 'work-1', description], description);
  }

  // The same of any agent, given the words of its command line.
  async runAsking(words, description) {
    const run = spawn(program, ['run', ...words],
      {cwd: join(this.path, 'work'), env: this.environment, stdio: ['pipe', 'ignore', 'ignore']});
    this.runs.push(run);
    return eventually(`${description} is a run that asks`, async () => {
      const {runs} = await this.api('/runs?limit=50');
      return runs.find(one => one.title.includes(description) && one.open_questions > 0)?.id;
    });
  }

  // The port stays the same over a restart, so that an open page finds the server again.
  async serve(...words) {
    this.server = spawn(program, ['serve', '--port', String(this.port), '--json', ...words],
      {cwd: join(this.path, 'work'), env: this.environment, stdio: ['ignore', 'pipe', 'pipe']});
    let out = '';
    let talk = '';
    this.server.stdout.on('data', bytes => { out += bytes; });
    this.server.stderr.on('data', bytes => { talk += bytes; });
    await eventually('the server says where it is', () => {
      if (this.server.exitCode !== null) throw new Error(`dragoman serve ended: ${talk}`);
      return out.includes('\n');
    });
    const {url, token} = JSON.parse(out.split('\n')[0]);
    this.url = url.replace(/\/$/, '');
    this.token = token;
    this.port = Number(new URL(url).port);
  }

  async stopServer(signal = 'SIGTERM') {
    const {server} = this;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise(resolve => server.once('exit', resolve));
    server.kill(signal);
    await ended;
  }

  async api(path, body) {
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST', body: body === undefined ? undefined : JSON.stringify(body),
      headers: {Authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : {'Content-Type': 'application/json'})},
    });
    return response.json();
  }

  async events(id) {
    const all = [];
    for (;;) {
      const page = await this.api(`/runs/${encodeURIComponent(id)}/events?from=${all.length + 1}&limit=500`);
      all.push(...page.events);
      if (page.events.length === 0 || all.length >= page.last) return all;
    }
  }

  // Signed in as a program is: with the token. The cookie has a test of its own.
  async context(browser, options = {}) {
    const context = await browser.newContext({viewport: {width: 1280, height: 860}, ...options});
    await context.route(`${this.url}/**`, route => route.continue({headers: {...route.request().headers(), authorization: `Bearer ${this.token}`}}));
    return context;
  }

  async close() {
    await this.stopServer('SIGTERM');
    for (const run of this.runs) run.kill('SIGTERM');
    // No runner may outlive the directory of its store.
    try {
      for (const line of this.tool('task', 'list', '--json').match(/T-local-[\w-]+/g) ?? []) {
        try { this.tool('task', 'cancel', line); } catch { /* it is over */ }
      }
      await eventually('the runner ends', () => {
        this.tool('task', 'work');
        return this.tool('task', 'status').startsWith('0 running, 0 queued');
      }, 20_000);
    } catch { /* the directory goes all the same */ }
    rmSync(this.path, {recursive: true, force: true});
  }
}

// Asks on the first call and goes on with the answer on the second.
export const asking = `case "$2" in
  *"Answer: "*) echo "[PROGRESS] Going on with the answer"; echo "The answer was: $2"; echo "[CODEX_COMPLETE] Task completed in 2 iterations" ;;
  *) echo "[PROGRESS] Looking around"; echo "[QUESTION] Where do tokens live?"; echo "Options:"; echo "1. localStorage - stays"; echo "2. sessionStorage - goes"; echo ;;
esac`;

// Opens a page and fails on every error in it.
export async function withPage(place, browser, options, path, use) {
  const context = await place.context(browser, options);
  const page = await context.newPage();
  page.on('pageerror', error => fail(`in the page: ${error.message}`));
  page.on('console', message => { if (message.type() === 'error' && !/ERR_|Failed to load resource/.test(message.text())) fail(`console: ${message.text()}`); });
  try {
    await page.goto(place.url + path);
    await use(page, context);
  } finally {
    await context.close();
  }
}

// The address of every view: of a run that is over, of one that asks, and of the rest.
export async function allViews(place) {
  const id = place.submit(`cat '${join(sourceDir, 'examples/sample.md')}'`);
  await eventually('the sample is over', async () => (await place.api(`/runs/${id}`)).completed_at);
  const ask = await place.runExecutor('asking_views.sh', asking, 'Ask for the views');
  const views = ['', '?view=time', '?view=changes', '?view=raw&seq=2', '?view=details'].map(view => `/runs/${id}${view}`);
  return ['/', '/questions', '/new', '/search?q=phase', '/view', `/runs/${ask}`, ...views];
}

let wrong = 0;
export function fail(message) {
  wrong += 1;
  if (wrong <= 30) console.log(`  wrong: ${String(message).slice(0, 600)}`);
}
export function same(what, got, wanted) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) fail(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}

// Runs the named tests one after the other; a name on the command line picks some.
export async function runAll(tests) {
  const wanted = process.argv[4] ?? '';
  let done = 0;
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(wanted)) continue;
    const begun = Date.now();
    const before = wrong;
    try {
      await test();
    } catch (error) {
      fail(error.stack ?? error);
    }
    done += 1;
    console.log(`${wrong === before ? 'ok   ' : 'WRONG'} ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }
  console.log(`${done} tests, ${wrong} wrong`);
  process.exitCode = wrong === 0 && done > 0 ? 0 : 1;
}
