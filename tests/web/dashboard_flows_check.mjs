// SPDX-License-Identifier: Apache-2.0
// What people do with the dashboard, in Debian's Chromium, served by the real program.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_flows_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {readFileSync, writeFileSync} from 'node:fs';
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
  await again.getByRole('heading', {name: 'Sign in'}).waitFor();
  await again.getByText('has been used or is too old').waitFor();
  await again.context().close();
  // Whoever is signed in may open it again.
  await page.goto(address);
  await page.getByRole('heading', {name: 'Runs', level: 1}).waitFor();
  await context.close();
}

// The token is replaced while a page is open: it asks for a new link, and goes on where it was.
async function tokenReplaced() {
  const context = await browser.newContext({viewport: {width: 1280, height: 860}});
  const link = () => place.tool('serve', '--login', '--port', String(place.port));
  const page = await context.newPage();
  await page.goto(link());
  await page.getByRole('heading', {name: 'Runs', level: 1}).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('What shall be done?').fill('half a task');
  place.token = 'a-token-of-the-test-'.repeat(3);
  writeFileSync(join(place.path, 'state', 'token'), `${place.token}\n`, {mode: 0o600});
  // Unless the page has found out by itself, and the button is gone.
  await page.getByRole('button', {name: 'Start'}).click({timeout: 10_000}).catch(() => undefined);
  await page.getByRole('heading', {name: 'Sign in'}).waitFor();
  const other = await context.newPage();
  await other.goto(link());
  await other.getByRole('heading', {name: 'Runs', level: 1}).waitFor();
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.getByRole('heading', {name: 'New task'}).waitFor();
  same('what was typed', await page.getByLabel('What shall be done?').inputValue(), 'half a task');
  await context.clearCookies();
  await page.goto(`${place.url}/questions`);
  await page.getByLabel('Login link or code').fill(link());
  await page.getByRole('button', {name: 'Sign in'}).click();
  await page.getByRole('heading', {name: 'Questions', level: 1}).waitFor();
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
    await page.keyboard.press('Escape');
    same('the field says what is filtered', await page.getByLabel('Filter runs').inputValue(), new URL(page.url()).searchParams.get('q'));
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

// Lines come in faster than the page is drawn: who scrolls up stays there, the end follows again when asked.
async function reading() {
  const id = place.submit('i=0; while [ $i -lt 6000 ]; do i=$((i+1)); echo "[PROGRESS] step $i"; echo "words $i."; sleep 0.01; done');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    // No line is waited for: the page keeps a stretch of the newest, and on a busy machine passes over some.
    await eventually('there is more than fits', () => page.evaluate(() => document.documentElement.scrollHeight > 3 * window.innerHeight));
    const below = () => page.evaluate(() => document.documentElement.scrollHeight - window.scrollY - window.innerHeight);
    await eventually('it follows', async () => (await below()) < 2);
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, -300);
    await page.locator('.jump').waitFor();
    const top = key => page.evaluate(wanted => {
      const block = wanted === '' ? [...document.querySelectorAll('.log > .block')].find(one => one.getBoundingClientRect().top > 300) : document.querySelector(`[data-key="${wanted}"]`);
      return [block.dataset.key, Math.round(block.getBoundingClientRect().top)];
    }, key);
    const read = await eventually('it stands still', async () => {
      const [key, before] = await top('');
      await page.waitForTimeout(300);
      return (await top(key))[1] === before ? [key, before] : null;
    });
    const {last} = await place.api(`/runs/${id}/events?limit=1`);
    await eventually('more comes in', async () => (await place.api(`/runs/${id}/events?limit=1`)).last > last + 100);
    same('what is being read stays where it is', await top(read[0]), read);
    // The views of a run are in sight wherever its reader is.
    const tabs = await page.getByRole('tablist').boundingBox();
    if (tabs.y < 0 || tabs.y > 250) fail(`the tabs are at ${tabs.y}`);
    await page.locator('.jump').click();
    await eventually('it follows again', async () => (await below()) < 2 && (await page.locator('.jump').count()) === 0);
  });
  place.tool('task', 'cancel', id);
}

// Where it is: click() of the driver first scrolls the page, as it takes what sticks to the top for hidden.
async function clickInPlace(page, target) {
  const {x, y, width, height} = await target.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}

// What is being read stays where it is when more is read above it.
async function readingBack() {
  const id = place.submit('seq 1 6000 | sed "s/^/line /"');
  await state(id, 'completed');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await see(page, /line 6000\n/);
    const first = () => page.locator('.log > .block').first().evaluate(block => [block.dataset.key, Math.round(block.getBoundingClientRect().top)]);
    const [key] = await first();
    await page.keyboard.press('Home');
    await eventually('more is read', async () => (await first())[0] !== key);
    const top = await page.locator(`[data-key="${key}"]`).evaluate(block => block.getBoundingClientRect().top);
    if (Math.abs(top) > 2000) fail(`what was read is at ${top}`);
    // The same place again after a look at another view.
    await page.mouse.move(400, 500);
    await page.mouse.wheel(0, 900);
    const seen = () => page.evaluate(() => [...document.querySelectorAll('.log > .block')].map(block => [block.dataset.key, Math.round(block.getBoundingClientRect().top)]).find(([, at]) => at > 0));
    const before = await eventually('the page stands still', async () => {
      const one = JSON.stringify(await seen());
      await page.waitForTimeout(300);
      return one === JSON.stringify(await seen()) ? JSON.parse(one) : null;
    });
    await clickInPlace(page, page.getByRole('tab', {name: 'Timeline'}));
    await page.getByText('nothing to draw').waitFor();
    await page.getByRole('tab', {name: 'Conversation'}).click();
    await page.locator('.log > .block').first().waitFor();
    await eventually('the same place', async () => JSON.stringify(await seen()) === JSON.stringify(before))
      .catch(async () => fail(`${JSON.stringify(before)} was read, and now ${JSON.stringify(await seen())}`));
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

// Three people see a question, one of them without a live connection: the first answer counts, the others are told of it.
async function questionInThreeTabs() {
  await place.runExecutor('asking_three.sh', asking, 'Ask three');
  const card = page => page.locator('.question-card').filter({hasText: 'Ask three'});
  await withPage(place, browser, {}, '/questions', first => withPage(place, browser, {}, '/questions', second => withPage(place, browser, {}, '/new', async third => {
    await third.route('**/api/v1/stream', route => route.abort());
    await third.goto(`${place.url}/questions`);
    for (const page of [first, second, third]) await card(page).getByLabel(/localStorage/).check();
    await card(first).getByRole('button', {name: 'Answer'}).click();
    await card(first).waitFor({state: 'detached'});
    same('who answered is told nothing', await first.locator('.toast').count(), 0);
    const told = /already answered by dashboard: .*localStorage/;
    await second.locator('.toast').getByText(told).waitFor();
    await card(second).waitFor({state: 'detached'});
    await card(third).getByRole('button', {name: 'Answer'}).click();
    await third.locator('.toast').getByText(told).waitFor();
    await third.locator('.toast').getByRole('button', {name: 'Close'}).click();
    await third.locator('.toast').waitFor({state: 'detached'});
  })));
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
    await see(page, /line \d+\./);
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

// A run that is opened while the server is away is there when the server is, without anybody's help.
async function openedWhileAway() {
  const id = place.submit('echo it was worth waiting for');
  await state(id, 'completed');
  await withPage(place, browser, {}, '/', async page => {
    const row = page.locator('.run-row').filter({hasText: 'worth waiting'});
    await row.waitFor();
    await place.stopServer('SIGKILL');
    await row.click();
    await page.getByRole('button', {name: 'Try again'}).waitFor();
    await place.serve();
    await page.locator('.log').getByText('it was worth waiting for').waitFor({timeout: 60_000});
  });
}

const lineInSight = (page, words) => eventually(`${words} is in sight`, () => page.evaluate(text => {
  const block = [...document.querySelectorAll('.log > .block')].find(one => one.innerText.split('\n').includes(text));
  const box = block?.getBoundingClientRect();
  return box && box.top < window.innerHeight && box.bottom > 0;
}, words));

// The first event and the last one of a long run are a key away, and the address says where its reader is.
async function bothEnds() {
  const id = place.submit('seq 1 6000 | sed "s/^/line /"');
  await state(id, 'completed');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    const inSight = words => lineInSight(page, words);
    await see(page, /line 6000\n/);
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await inSight('line 1');
    same('the address of the first', new URL(page.url()).search, '?seq=1');
    // Once more, for who has scrolled away since.
    await page.mouse.move(400, 500);
    for (let i = 0; i < 8; i += 1) await page.mouse.wheel(0, 4_000);
    await eventually('the first is out of sight', () => page.evaluate(() => window.scrollY > 4_000));
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await inSight('line 1');
    await page.keyboard.press('G');
    await inSight('line 6000');
    same('the address without it', new URL(page.url()).search, '');
    await page.locator('.run-aside').getByRole('link', {name: 'To the first event'}).click();
    await inSight('line 1');
    await page.getByRole('tab', {name: 'Raw'}).click();
    await eventually('a whole page of events', async () => (await page.locator('.raw-list li').count()) === 100);
  });
}

// The same in a page that is late: a key comes before the page has noticed what the one before it moved.
async function bothEndsInALatePage() {
  const id = place.submit('seq 1 6000 | sed "s/^/line /"');
  await state(id, 'completed');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await see(page, /line 6000\n/);
    await page.evaluate(() => {
      const frame = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = run => window.setTimeout(() => frame(run), 400);
    });
    for (let i = 0; i < 3; i += 1) {
      await page.keyboard.press('g');
      await page.keyboard.press('g');
      await lineInSight(page, 'line 1');
      await page.keyboard.press('G');
      await lineInSight(page, 'line 6000');
    }
    // And before the first way has come to its end.
    await page.keyboard.press('g');
    await page.keyboard.press('g');
    await page.keyboard.press('G');
    await page.waitForTimeout(1_500);
    await lineInSight(page, 'line 6000');
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
  await withPage(place, browser, {}, `/runs/${id}?seq=2`, async page => same('the marked line', await page.locator('.block.marked mark').innerText(), 'more of them'));
  // A link into a long run, and from its bytes back to its words.
  const long = place.submit('seq 1 6000 | sed "s/^/line /"');
  await state(long, 'completed');
  await withPage(place, browser, {}, `/runs/${long}?view=raw&seq=900`, async page => {
    await page.getByRole('link', {name: 'in the conversation'}).click();
    const line = page.locator('.block.marked mark');
    same('the line of the event', await line.innerText(), 'line 900');
    const {y} = await line.boundingBox();
    if (y < 100 || y > 800) fail(`the line is at ${y}`);
  });
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
    // Paper is light, and has no bars.
    await page.getByRole('button', {name: /^Theme/}).click();
    const ink = () => page.evaluate(() => getComputedStyle(document.body).color);
    same('dark by choice', await ink(), 'rgb(226, 229, 235)');
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    same('dark on paper', await ink(), 'rgb(30, 34, 48)');
    same('no bar', await page.locator('.topbar').isVisible(), false);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await page.emulateMedia({media: 'screen'});
    same('dark as before', await ink(), 'rgb(226, 229, 235)');
  });
  for (const path of await allViews(place)) {
    await withPage(place, browser, {viewport: {width: 375, height: 760}}, path, async page => {
      await page.locator('main h1').first().waitFor();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (over > 0) fail(`${path} is ${over} pixels wider than a phone`);
      const small = await page.evaluate(() => [...document.querySelectorAll('svg text')].filter(text => text.getBoundingClientRect().height < 9).length);
      if (small > 0) fail(`${path} has ${small} words in a chart that nobody can read`);
    });
  }
  // That a run failed is not said by a colour alone.
  const failed = place.submit('echo to no avail; exit 3');
  await state(failed, 'failed');
  await withPage(place, browser, {viewport: {width: 360, height: 740}}, '/', page => page.locator('.run-failed').filter({hasText: 'to no avail'}).getByText('failed', {exact: true}).first().waitFor());
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

// The address says what is shown, the title says what it is, and the focus goes along.
async function navigation() {
  for (const words of ['another', 'for the way']) await state(place.submit(`echo ${words}`), 'completed');
  await withPage(place, browser, {}, '/?state=completed', async page => {
    const chosen = () => page.locator('.filter[aria-pressed=true]').innerText().then(text => text.split(/\s/)[0]);
    await page.locator('.run-row').filter({hasText: 'for the way'}).waitFor();
    same('the filter of the address', await chosen(), 'completed');
    await page.getByRole('link', {name: 'Runs', exact: true}).click();
    await eventually('without the filter', async () => (await chosen()) === 'All');
    await page.goBack();
    await eventually('with the filter again', async () => (await chosen()) === 'completed');
    const rows = page.locator('.run-row');
    await rows.nth(1).focus();
    await page.keyboard.press('k');
    await eventually('k goes up from the focus', () => rows.first().evaluate(row => row === document.activeElement));
    await page.locator('.run-row').filter({hasText: 'for the way'}).press('Enter');
    await eventually('the title of the run', async () => (await page.title()).includes('completed: /bin/sh -c echo for the way'));
    same('the focus', await page.evaluate(() => document.activeElement.id), 'main');
    await page.keyboard.press('n');
    await page.keyboard.type('not a shortcut');
    same('typed into the form', await page.getByLabel('What shall be done?').inputValue(), 'not a shortcut');
    await page.getByRole('link', {name: 'Questions'}).click();
    await page.goBack();
    await page.getByRole('heading', {name: 'New task'}).waitFor();
    same('still there', await page.getByLabel('What shall be done?').inputValue(), 'not a shortcut');
  });
}

async function viewer() {
  await withPage(place, browser, {}, '/view', async page => {
    await page.locator('input[type=file]').setInputFiles(join(sourceDir, 'examples/sample.md'));
    await page.locator('.run-head h1').getByText('sample.md').waitFor();
    await page.locator('.wxcode-header').first().waitFor();
    same('the focus', await page.evaluate(() => document.activeElement.id), 'main');
    await page.keyboard.press('v');
    await page.keyboard.press('4');
    await page.getByRole('group', {name: 'Recorded bytes'}).waitFor();
    const marked = await page.locator('.raw-text mark').first().innerText();
    if (!readFileSync(join(sourceDir, 'examples/sample.md'), 'utf8').includes(marked.split('\n')[0])) fail(`the bytes are not the file's: ${marked}`);
  });
}

// A tool that is open in the page ends while somebody looks at it, and what its subagent does appears in it.
async function liveTool() {
  const line = (type, content, parent = null) => JSON.stringify({type, message: {id: `m${JSON.stringify(content).length}`, role: type, content}, parent_tool_use_id: parent, session_id: 's'});
  const steps = [
    line('assistant', [{type: 'tool_use', id: 't1', name: 'Agent', input: {description: 'Look around', prompt: 'x'}}]),
    line('assistant', [{type: 'text', text: 'words of the subagent'}], 't1'),
    line('user', [{type: 'tool_result', tool_use_id: 't1', content: 'what it has found'}]),
  ];
  steps.forEach((step, i) => writeFileSync(join(place.path, `step${i}`), `${step}\n`));
  const gate = i => join(place.path, `gate${i}`);
  const wait = i => `while [ ! -e '${gate(i)}' ]; do sleep 0.1; done`;
  const id = place.submit(`cd '${place.path}'; cat step0; ${wait(1)}; cat step1; ${wait(2)}; cat step2; ${wait(3)}`);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    const tool = page.locator('.wxcode-tool').first();
    await tool.and(page.locator('.wxcode-tool-running')).waitFor();
    await tool.locator('.tool-line').click();
    writeFileSync(gate(1), '');
    await tool.getByText('words of the subagent').waitFor();
    writeFileSync(gate(2), '');
    await tool.and(page.locator('.wxcode-tool-ok')).waitFor();
    await tool.getByText('what it has found').waitFor();
  });
  writeFileSync(gate(3), '');
}

// Of a long run the page has read the end. What it draws of it says so, and its curve is that of the whole run.
async function longRun() {
  const line = (type, id, content) => JSON.stringify({type, message: {id, role: type, content, usage: {input_tokens: 100, output_tokens: 10}}, parent_tool_use_id: null, session_id: 's'});
  const lines = [];
  for (let i = 1; i <= 1_500; i += 1) {
    lines.push(line('assistant', `m${i}`, [{type: 'text', text: `word ${i}`}, {type: 'tool_use', id: `t${i}`, name: 'Bash', input: {command: `echo ${i}`}}]));
    lines.push(line('user', `u${i}`, [{type: 'tool_result', tool_use_id: `t${i}`, content: 'done'}]));
  }
  writeFileSync(join(place.path, 'long.jsonl'), `${lines.join('\n')}\n`);
  const id = place.submit(`cat '${join(place.path, 'long.jsonl')}'`);
  await eventually('it is over', async () => (await place.api(`/runs/${id}`)).completed_at);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.getByText('word 1500').first().waitFor();
    // The facts begin below the bar, at the end of the page too.
    const [facts, bar] = await Promise.all(['.run-aside > *', '.run-top'].map(part => page.locator(part).boundingBox()));
    if (facts.y < bar.y + bar.height) fail(`the facts begin at ${facts.y}, under a bar that ends at ${bar.y + bar.height}`);
    await page.getByRole('tab', {name: 'Timeline'}).click();
    await page.getByText(/^From event [\d,]+ on\./).waitFor();
    const bars = () => page.locator('.timeline rect').count();
    const before = await bars();
    const ratio = await page.locator('#tab-panel .line-input').evaluate(line => {
      const ys = line.getAttribute('d').split(/[ML]/).filter(Boolean).map(point => Number(point.split(' ')[1]));
      return [ys.length > 50, (Math.max(...ys) - ys[ys.length - 1]) / 88]; // of the height of the drawing
    });
    if (!ratio[0] || ratio[1] < 0.95) fail(`the curve begins too high: ${ratio}`);
    await page.getByRole('button', {name: 'Read what came before'}).click();
    await eventually('more bars', async () => (await bars()) > before || (await page.getByText(/longest of/).count()) > 0);
  });
}

async function newTask() {
  await withPage(place, browser, {}, '/new', async page => {
    await page.getByText('More', {exact: true}).click();
    await page.getByLabel('Model').fill('x');
    await page.getByLabel('Model').fill('');
    same('what is being edited stays open', await page.getByLabel('Model').isVisible(), true);
    const modes = () => page.getByLabel('Mode', {exact: true}).locator('option').allInnerTexts();
    same('the modes of Codex', await modes(), ['as it is set up', 'read-only', 'workspace-write', 'danger-full-access']);
    await page.getByLabel('Agent').selectOption('claude');
    same('the modes of Claude', await modes(), ['as it is set up', 'default, without editing', 'acceptEdits', 'bypassPermissions']);
    await page.getByLabel('Mode', {exact: true}).selectOption('acceptEdits');
    await page.getByLabel('What shall be done?').fill('A task from the page');
    await page.getByLabel('Working directory').fill(join(place.path, 'work'));
    await page.getByRole('button', {name: 'Start'}).click();
    await page.waitForURL(/\/runs\/r-/);
    const [id] = /r-[a-z2-7]{8}/.exec(page.url());
    await withPage(place, browser, {}, `/runs/T-local-${id.slice(2)}?view=raw`, other => other.waitForURL(`**/runs/${id}?view=raw`));
    await page.locator('.run-head h1').getByText('A task from the page').waitFor();
    await page.getByRole('link', {name: 'Again'}).click();
    await eventually('the same task once more', async () => (await page.getByLabel('What shall be done?').inputValue()) === 'A task from the page');
    same('at the same place', await page.getByLabel('Working directory').inputValue(), join(place.path, 'work'));
    same('by the same agent', await page.getByLabel('Agent').inputValue(), 'claude');
    same('in the same mode', await page.getByLabel('Mode', {exact: true}).locator('option:checked').innerText(), 'acceptEdits');
  });
}

try {
  await place.serve();
  await runAll({login, tokenReplaced, overview, liveRun, reading, readingBack, questionAnswered, questionInThreeTabs, cancel, restart, openedWhileAway, bothEnds, bothEndsInALatePage, deepLinks, navigation, viewer, liveTool, longRun, newTask, keyboard, looks});
} finally {
  await browser.close();
  await place.close();
}
