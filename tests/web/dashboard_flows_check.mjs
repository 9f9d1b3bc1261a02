// SPDX-License-Identifier: Apache-2.0
// What people do with the dashboard, in Debian's Chromium, served by the real program.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_flows_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Place, allViews, asking, eventually, fail, openBrowser, runAll, same, sourceDir, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

const see = (page, text) => page.getByText(text).first().waitFor({timeout: 60_000});
async function state(id, wanted) {
  let run = {};
  await eventually(`${id} is ${wanted}`, async () => (run = await place.api(`/runs/${id}`)).state === wanted).catch(error => {
    throw new Error(`${error.message}, but ${run.state}: ${JSON.stringify(run.verdict)} ${JSON.stringify(run.questions)}`);
  });
}

// The address that serve prints works once and leaves a cookie that no script can read.
async function login() {
  const context = await browser.newContext({viewport: {width: 1280, height: 860}});
  const page = await context.newPage();
  await page.goto(place.url);
  await page.getByRole('heading', {name: 'Sign in'}).waitFor();
  const address = place.tool('serve', '--login', '--port', String(place.port));
  await page.goto(address);
  await page.getByRole('heading', {name: 'Runs', level: 1}).waitFor();
  const cookies = await context.cookies();
  same('the cookie', cookies.map(({httpOnly, sameSite}) => ({httpOnly, sameSite})), [{httpOnly: true, sameSite: 'Strict'}]);
  same('for scripts', await page.evaluate(() => document.cookie), '');
  const again = await (await browser.newContext()).newPage();
  await again.goto(address);
  await again.goto(place.url);
  await again.getByRole('heading', {name: 'Sign in'}).waitFor();
  await again.context().close();
  await context.close();
}

async function overview() {
  const done = place.submit('echo all well');
  const live = place.submit('echo working on it; exec sleep 600');
  await state(done, 'completed');
  await withPage(place, browser, {}, '/', async page => {
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
  const id = place.submit('i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo "[PROGRESS] step $i of 40"; echo "words $i"; sleep 0.05; done; echo the end; echo "[CODEX_COMPLETE] Task completed in 40 iterations"');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await see(page, 'step 3 of 40');
    await see(page, 'the end');
    await page.locator('.run-head .state-name').getByText('completed').waitFor();
    await page.locator('.run-aside').getByText('Verdict: completed').waitFor();
  });
}

async function questionAnswered() {
  const id = await place.runExecutor('asking.sh', asking, 'Ask first');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    const card = page.locator('.question-card');
    await card.getByText('Where do tokens live?').waitFor({timeout: 60_000});
    await card.getByLabel(/sessionStorage/).check();
    await card.getByRole('button', {name: 'Answer'}).click();
    await card.waitFor({state: 'detached'});
    await see(page, /The answer was: .*Answer: /);
    await state(id, 'completed');
    await page.locator('.run-head .state-name').getByText('completed').waitFor();
    const said = (await place.events(id)).map(({event}) => event.data.text ?? '').join('');
    if (!said.includes('sessionStorage')) fail(`the agent did not get the answer: ${said}`);
  });
}

async function cancel() {
  const id = place.submit('echo started; exec sleep 600');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await see(page, 'started');
    await page.locator('.run-head').getByRole('button', {name: 'Cancel'}).click();
    await page.getByLabel('Reason').fill('no longer wanted');
    await page.getByRole('button', {name: 'Cancel the run'}).click();
    await page.locator('.run-head .state-name').getByText('cancelled').waitFor({timeout: 60_000});
    await state(id, 'cancelled');
  });
}

// What stands in the page is what stands in the log, before and after.
async function restart() {
  const id = place.submit('i=0; while [ $i -lt 120 ]; do i=$((i+1)); echo "[PROGRESS] mark $i"; echo "line $i."; sleep 0.05; done; echo "[CODEX_COMPLETE] Task completed in 120 iterations"');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await see(page, 'line 5.');
    await place.stopServer('SIGKILL');
    await page.locator('.lost').first().waitFor({timeout: 60_000});
    await place.serve();
    await state(id, 'completed');
    await see(page, 'line 120.');
    await page.locator('.run-head .state-name').getByText('completed').waitFor({timeout: 60_000});
    const words = await page.locator('.log').innerText();
    const lines = [...words.matchAll(/line (\d+)\./g)].map(match => Number(match[1]));
    const first = lines[0];
    same('lines in the page', lines, Array.from({length: 120 - first + 1}, (_, i) => first + i));
  });
}

async function deepLinks() {
  const id = place.submit('echo deep words; echo more of them');
  await state(id, 'completed');
  for (const [path, heading] of [['/questions', 'Questions'], ['/new?task=Do%20this', 'New task'], ['/search?q=deep', 'Search'], ['/view', 'View a recording']]) {
    await withPage(place, browser, {}, path, page => page.getByRole('heading', {name: heading, level: 1}).waitFor());
  }
  await withPage(place, browser, {}, '/new?task=Do%20this', async page => same('the form is filled', await page.getByLabel('What shall be done?').inputValue(), 'Do this'));
  await withPage(place, browser, {}, `/runs/${id}?view=raw&seq=1`, page => page.getByRole('group', {name: 'Recorded bytes'}).waitFor());
  await withPage(place, browser, {}, `/runs/${id}?seq=1`, page => page.locator('.block.marked').waitFor());
  await withPage(place, browser, {}, '/runs/T-local-nothing', page => see(page, 'This run cannot be shown'));
}

async function looks() {
  await withPage(place, browser, {colorScheme: 'dark'}, '/', async page => {
    await page.getByRole('heading', {name: 'Runs', level: 1}).waitFor();
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    same('dark by the system', await ground(), 'rgb(15, 17, 22)');
    await page.getByRole('button', {name: /^Theme/}).click();
    same('light by choice', await ground(), 'rgb(247, 247, 249)');
    await page.reload();
    same('remembered', await ground(), 'rgb(247, 247, 249)');
  });
  for (const path of await allViews(place)) {
    await withPage(place, browser, {viewport: {width: 375, height: 760}}, path, async page => {
      await page.locator('main h1').first().waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (over > 0) fail(`${path} is ${over} pixels wider than a phone`);
    });
  }
}

async function keyboard() {
  const id = await place.runExecutor('asking_keys.sh', asking, 'Ask the keyboard');
  await withPage(place, browser, {}, '/', async page => {
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
  await withPage(place, browser, {}, '/view', async page => {
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
  await withPage(place, browser, {}, '/new', async page => {
    await page.getByLabel('What shall be done?').fill('A task from the page');
    await page.getByLabel('Working directory').fill(join(place.path, 'work'));
    await page.getByRole('button', {name: 'Start'}).click();
    await page.waitForURL(/\/runs\/T-/);
    await page.locator('.run-head h1').getByText('A task from the page').waitFor();
  });
}

try {
  await place.serve();
  await runAll({login, overview, liveRun, questionAnswered, cancel, restart, deepLinks, viewer, newTask, keyboard, looks});
} finally {
  await browser.close();
  await place.close();
}
