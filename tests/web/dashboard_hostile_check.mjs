// SPDX-License-Identifier: Apache-2.0
// Hostile text in every field: nothing runs, nothing is asked for, nothing but our own nodes.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_hostile_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {hook, hostileEvents, hostileQuestion, hostileRun, hostileStrings, strangers} from './dashboard_hostile.mjs';
import {Place, fail, full, openBrowser, runAll, sourceDir} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

// Without the page's own policy, which would hide what the page has to do by itself.
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

// Below the full count each string is in a quarter of the events and each event has a quarter of the
// strings. A page shows 172 blocks: so many strings go together.
const inTurn = full ? 1 : 4;
const together = 4 * inTurn;

async function hostileCaptures() {
  const texts = hostileStrings(sourceDir);
  if (texts.length < 300) fail(`only ${texts.length} hostile strings`);
  await hostilePage(async (page, context, look) => {
    let events = [];
    await context.route('**/api/v1/parse*', route => route.fulfill({json: {dialect: 'text', events, verdict: {state: 'x', reasons: []}, stats: {}}}));
    await page.goto(`${place.url}/view`);
    for (let at = 0; at < texts.length; at += together) {
      events = texts.slice(at, at + together).flatMap((text, i) => hostileEvents(text).filter((_, kind) => (kind + at + i) % inTurn === 0));
      await page.locator('input[type=file]').setInputFiles({name: texts[at].replaceAll(/[\0/\r\n]/g, '').slice(0, 60) || 'x', mimeType: 'text/plain', buffer: Buffer.from(texts[at])});
      await page.locator('.log .block').first().waitFor({state: 'attached'}).catch(async () => fail(`strings ${at}… are not shown: ${JSON.stringify(texts.slice(at, at + together)).slice(0, 300)} ${await page.locator('main').innerText()}`));
      await page.evaluate(() => {
        for (const button of document.querySelectorAll('.tool-line[aria-expanded=false]')) button.click();
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      await look(`strings ${at}…`);
      if (at % 40 < together) {
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
    const step = 9 * inTurn;
    for (let i = 0; i < texts.length; i += step) {
      await page.goto(`${place.url}/runs/T-${i}${i % (2 * step) === 0 ? '?view=details' : ''}`);
      await page.locator('.run-head h1').waitFor();
      await look(`run ${i}`);
      await page.goto(`${place.url}/new?from=T-${i}&task=${encodeURIComponent(texts[i])}`.slice(0, 4000).replace(/%[0-9A-F]?$/, ''));
      await look(`form ${i}`);
    }
  });
}

try {
  await place.serve();
  await runAll({hostileCaptures, hostileRuns});
} finally {
  await browser.close();
  await place.close();
}
