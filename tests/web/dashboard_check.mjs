// SPDX-License-Identifier: Apache-2.0
// The dashboard in Debian's Chromium, served by the real program.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {hook, hostileEvents, hostileQuestion, hostileRun, hostileStrings, strangers} from './dashboard_hostile.mjs';
import {Place, axeSource, eventually, fail, openBrowser, runAll, same, sourceDir} from './dashboard_support.mjs';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const place = new Place();
const browser = await openBrowser();
const asking = `case "$2" in
  *"Answer: "*) echo "[PROGRESS] Going on with the answer"; echo "The answer was: $2"; echo "[CODEX_COMPLETE] Task completed in 2 iterations" ;;
  *) echo "[PROGRESS] Looking around"; echo "[QUESTION] Where do tokens live?"; echo "Options:"; echo "1. localStorage - stays"; echo "2. sessionStorage - goes"; echo ;;
esac`;

async function withPage(options, path, use) {
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

const see = (page, text) => page.getByText(text).first().waitFor({timeout: 60_000});
const state = (id, wanted) => eventually(`${id} is ${wanted}`, async () => (await place.api(`/runs/${id}`)).state === wanted);

async function overview() {
  const done = place.submit('echo all well');
  const live = place.submit('echo working on it; exec sleep 600');
  await state(done, 'completed');
  await withPage({}, '/', async page => {
    await see(page, 'echo all well');
    await page.locator('.run-working').filter({hasText: 'working on it'}).waitFor();
    await page.locator('.run-completed').filter({hasText: 'echo all well'}).waitFor();
    // A run that starts now appears by itself.
    const later = place.submit('echo came later');
    await page.locator('.run-row').filter({hasText: 'came later'}).waitFor();
    await state(later, 'completed');
    await page.locator('.run-completed').filter({hasText: 'came later'}).waitFor();
    await page.getByLabel('Filter runs').fill('came later');
    await eventually('the filter leaves one', async () => (await page.locator('.run-row').count()) === 1);
    place.tool('task', 'cancel', live);
  });
}

async function liveRun() {
  const id = place.submit('i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "[PROGRESS] step $i of 40"; echo "words $i"; sleep 0.05; done; echo the end');
  await withPage({}, `/runs/${id}`, async page => {
    await see(page, 'step 3 of 40');
    await see(page, 'the end');
    await page.locator('.run-head').getByText('completed').waitFor();
    await page.locator('.run-aside').getByText('Verdict: completed').waitFor();
  });
}

async function questionAnswered() {
  const id = place.submitExecutor('asking.sh', asking, 'Ask first');
  await withPage({}, `/runs/${id}`, async page => {
    const card = page.locator('.question-card');
    await card.getByText('Where do tokens live?').waitFor({timeout: 60_000});
    await card.getByLabel(/sessionStorage/).check();
    await card.getByRole('button', {name: 'Answer'}).click();
    await card.waitFor({state: 'detached'});
    await see(page, /The answer was: .*Answer: /);
    await state(id, 'completed');
    await page.locator('.run-head').getByText('completed').waitFor();
    const said = (await place.events(id)).map(({event}) => event.data.text ?? '').join('');
    if (!said.includes('sessionStorage')) fail(`the agent did not get the answer: ${said}`);
  });
}

async function cancel() {
  const id = place.submit('echo started; exec sleep 600');
  await withPage({}, `/runs/${id}`, async page => {
    await see(page, 'started');
    await page.locator('.run-head').getByRole('button', {name: 'Cancel'}).click();
    await page.getByLabel('Reason').fill('no longer wanted');
    await page.getByRole('button', {name: 'Cancel the run'}).click();
    await page.locator('.run-head').getByText('cancelled').waitFor({timeout: 60_000});
    await state(id, 'cancelled');
  });
}

// What stands in the page is what stands in the log, before and after.
async function restart() {
  const id = place.submit('i=0; while [ $i -lt 120 ]; do i=$((i+1)); echo "[PROGRESS] mark $i"; echo "line $i."; sleep 0.05; done');
  await withPage({}, `/runs/${id}`, async page => {
    await see(page, 'line 5.');
    await place.stopServer('SIGKILL');
    await page.locator('.lost').first().waitFor({timeout: 60_000});
    await place.serve();
    await state(id, 'completed');
    await see(page, 'line 120.');
    await page.locator('.run-head').getByText('completed').waitFor({timeout: 60_000});
    const words = await page.locator('.log').innerText();
    const lines = [...words.matchAll(/line (\d+)\./g)].map(match => Number(match[1]));
    const first = lines[0];
    same('lines in the page', lines, Array.from({length: 120 - first + 1}, (_, i) => first + i));
  });
}

async function deepLinks() {
  const id = place.submit('echo "[PROGRESS] one"; echo deep words');
  await state(id, 'completed');
  for (const [path, heading] of [['/questions', 'Questions'], ['/new?task=Do%20this', 'New task'], ['/search?q=deep', 'Search'], ['/view', 'View a recording']]) {
    await withPage({}, path, page => page.getByRole('heading', {name: heading, level: 1}).waitFor());
  }
  await withPage({}, '/new?task=Do%20this', async page => same('the form is filled', await page.getByLabel('What shall be done?').inputValue(), 'Do this'));
  await withPage({}, `/runs/${id}?view=raw&seq=1`, page => page.getByRole('group', {name: 'Recorded bytes'}).waitFor());
  await withPage({}, `/runs/${id}?seq=1`, page => page.locator('.block.marked').waitFor());
  await withPage({}, '/runs/T-local-nothing', page => see(page, 'This run cannot be shown'));
}

async function looks() {
  await withPage({colorScheme: 'dark'}, '/', async page => {
    await page.getByRole('heading', {name: 'Runs'}).waitFor();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    same('dark by the system', await ground(), 'rgb(15, 17, 22)');
    await page.getByRole('button', {name: /^Theme/}).click();
    same('light by choice', await ground(), 'rgb(247, 247, 249)');
    await page.reload();
    same('remembered', await ground(), 'rgb(247, 247, 249)');
  });
  for (const path of await allViews()) {
    await withPage({viewport: {width: 375, height: 760}}, path, async page => {
      await page.locator('main h1').first().waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (over > 0) fail(`${path} is ${over} pixels wider than a phone`);
    });
  }
}

let viewed = null;
async function allViews() {
  if (!viewed) {
    const sample = join(sourceDir, 'examples/sample.md');
    const id = place.submit(`cat '${sample}'`);
    await eventually('the sample is over', async () => (await place.api(`/runs/${id}`)).completed_at);
    const ask = place.submitExecutor('asking2.sh', asking, 'Ask for the views');
    await eventually('it asks', async () => (await place.api(`/runs/${ask}`)).open_questions > 0);
    viewed = ['/', '/questions', '/new', '/search?q=phase', '/view', `/runs/${ask}`, ...['', '?view=time', '?view=changes', '?view=raw&seq=2', '?view=details'].map(view => `/runs/${id}${view}`)];
  }
  return viewed;
}

async function access() {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [375, 1280]) {
      for (const path of await allViews()) {
        await withPage({colorScheme, viewport: {width, height: 860}, reducedMotion: 'reduce'}, path, async page => {
          await page.locator('main h1').first().waitFor();
          await page.waitForTimeout(150);
          await page.evaluate(() => { for (const button of document.querySelectorAll('.tool-line[aria-expanded=false]')) button.click(); });
          if (path === '/') await page.keyboard.press('?');
          await page.evaluate(axeSource);
          const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
          for (const violation of violations) fail(`${path} ${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} (${violation.nodes.length}) ${violation.nodes[0].failureSummary}`);
        });
      }
    }
  }
}

async function keyboard() {
  const id = place.submitExecutor('asking3.sh', asking, 'Ask the keyboard');
  await eventually('it asks', async () => (await place.api(`/runs/${id}`)).open_questions > 0);
  await withPage({}, '/', async page => {
    await page.locator('.run-row').filter({hasText: 'Ask the keyboard'}).waitFor();
    await page.keyboard.press('Tab');
    same('the first stop skips the bar', await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
    await page.keyboard.press('j');
    await eventually('a run has the focus', () => page.evaluate(() => document.activeElement.classList.contains('run-row')));
    for (let i = 0; i < 30 && !(await page.evaluate(() => document.activeElement.textContent)).includes('Ask the keyboard'); i += 1) {
      await page.keyboard.press('j');
      await page.waitForTimeout(60);
    }
    await page.keyboard.press('Enter');
    await page.locator('.question-card').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('2');
    same('the second is chosen', await page.locator('.choice.chosen').innerText().then(text => text.split('\n')[0]), 'sessionStorage');
    await page.keyboard.press('Enter');
    await page.locator('.question-card').waitFor({state: 'detached'});
    await state(id, 'completed');
    await page.locator('main').click({position: {x: 5, y: 300}});
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', {name: 'Questions', level: 1}).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', {name: 'Keyboard'}).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({state: 'detached'});
  });
}

async function viewer() {
  await withPage({}, '/view', async page => {
    await page.locator('input[type=file]').setInputFiles(join(sourceDir, 'examples/sample.md'));
    await page.locator('.run-head h1').getByText('sample.md').waitFor();
    await page.locator('.wxcode-header').first().waitFor();
    await page.getByRole('tab', {name: 'Raw'}).click();
    await page.getByRole('group', {name: 'Recorded bytes'}).waitFor();
    const marked = await page.locator('.raw-text mark').first().innerText();
    if (!readFileSync(join(sourceDir, 'examples/sample.md'), 'utf8').includes(marked.split('\n')[0])) fail(`the bytes are not the file's: ${marked}`);
  });
}

async function newTask() {
  await withPage({}, '/new', async page => {
    await page.getByLabel('What shall be done?').fill('A task from the page');
    await page.getByLabel('Working directory').fill(join(place.path, 'work'));
    await page.getByRole('button', {name: 'Start'}).click();
    await page.waitForURL(/\/runs\/T-/);
    await page.locator('.run-head h1').getByText('A task from the page').waitFor();
    place.tool('task', 'cancel', decodeURIComponent(new URL(page.url()).pathname.split('/')[2]));
  });
}

// Hostile text everywhere: nothing runs, nothing is asked for, nothing but our own nodes. Without the
// page's own policy, which would hide what the page has to do by itself.
async function hostilePage(use) {
  const context = await place.context(browser, {bypassCSP: true});
  await context.addInitScript(hook);
  const page = await context.newPage();
  const asked = [];
  page.on('request', request => { if (!request.url().startsWith(place.url)) asked.push(request.url()); });
  page.on('dialog', dialog => { fail(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  page.on('pageerror', error => fail(`in the page: ${error.message}`));
  context.on('page', () => fail('opened a window'));
  const look = async what => {
    for (const call of await page.evaluate(() => window.executions.splice(0))) fail(`${what}: ran ${call}`);
    for (const stranger of new Set(await page.evaluate(strangers))) fail(`${what}: ${stranger}`);
    for (const url of asked.splice(0)) fail(`${what}: asked for ${url}`);
    if (!page.url().startsWith(place.url)) fail(`${what}: went to ${page.url()}`);
  };
  await use(page, context, look);
  await context.close();
}

async function hostileCaptures() {
  const texts = hostileStrings(sourceDir);
  if (texts.length < 300) fail(`only ${texts.length} hostile strings`);
  await hostilePage(async (page, context, look) => {
    let events = [];
    await context.route('**/api/v1/parse*', route => route.fulfill({json: {dialect: 'text', events, verdict: {state: 'x', reasons: []}, stats: {}}}));
    await page.goto(`${place.url}/view`);
    for (let at = 0; at < texts.length; at += 4) {
      events = texts.slice(at, at + 4).flatMap(hostileEvents);
      await page.locator('input[type=file]').setInputFiles({name: texts[at].replaceAll(/[\0/\r\n]/g, '').slice(0, 60) || 'x', mimeType: 'text/plain', buffer: Buffer.from(texts[at])});
      await page.locator('.log .block').first().waitFor({state: 'attached'}).catch(async () => fail(`strings ${at}… are not shown: ${JSON.stringify(texts.slice(at, at + 4)).slice(0, 300)} ${await page.locator('main').innerText()}`));
      await page.evaluate(() => {
        for (const button of document.querySelectorAll('.tool-line[aria-expanded=false]')) button.click();
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      await look(`strings ${at}…`);
      if (at % 40 === 0) {
        for (const view of ['Timeline', 'Changes', 'Raw']) {
          await page.getByRole('tab', {name: view}).click();
          await page.waitForTimeout(30);
          await look(`strings ${at}…, ${view}`);
        }
      }
      await page.getByLabel('Close the recording').click({timeout: 5000});
    }
  });
}

async function hostileRuns() {
  const texts = hostileStrings(sourceDir);
  await hostilePage(async (page, context, look) => {
    const runs = texts.map((text, i) => hostileRun(text, i, ['working', 'waiting', 'completed', 'failed'][i % 4]));
    const json = (path, body) => context.route(`**/api/v1${path}`, route => route.fulfill({json: body(new URL(route.request().url()))}));
    await json('/runs?*', () => ({runs, counts: {working: runs.length}, next: null, revision: 1}));
    await json('/questions?*', () => ({questions: texts.map(hostileQuestion)}));
    await json('/search?*', url => ({hits: runs.map(run => ({run, seq: 1, excerpt: `${url.searchParams.get('q')} ${run.title}`}))}));
    await json('/runs/T-*', url => runs[Number(url.pathname.split('-').pop())]);
    await json('/runs/*/events?*', url => {
      const list = hostileEvents(texts[Number(url.pathname.split('/')[4].slice(2))]).map((event, i) => ({seq: i + 1, event}));
      return {first: 1, last: list.length, events: list};
    });
    await context.route('**/stream*', route => route.fulfill({contentType: 'text/event-stream', body: ': nothing\n\n'}));
    await page.goto(place.url);
    for (let y = 0; y < texts.length * 68; y += 2000) {
      await page.evaluate(to => window.scrollTo(0, to), y);
      await page.waitForTimeout(40);
      await look(`overview at ${y}`);
    }
    for (const path of ['/questions', '/search?q=' + encodeURIComponent('<img src=x onerror=alert(1)>')]) {
      await page.goto(place.url + path);
      await page.waitForTimeout(300);
      await look(path);
    }
    for (let i = 0; i < texts.length; i += 12) {
      await page.goto(`${place.url}/runs/T-${i}${i % 24 === 0 ? '?view=details' : ''}`);
      await page.locator('.run-head h1').waitFor();
      await look(`run ${i}`);
      await page.goto(`${place.url}/new?from=T-${i}&task=${encodeURIComponent(texts[i])}`.slice(0, 4000).replace(/%[0-9A-F]?$/, ''));
      await look(`form ${i}`);
    }
  });
}

try {
  await place.serve();
  await runAll({overview, liveRun, questionAnswered, cancel, restart, deepLinks, viewer, newTask, keyboard, looks, access, hostileCaptures, hostileRuns});
} finally {
  await browser.close();
  await place.close();
}
