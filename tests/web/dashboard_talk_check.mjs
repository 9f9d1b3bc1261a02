// SPDX-License-Identifier: Apache-2.0
// Talking with a run from its page, in Debian's Chromium.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_talk_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {Place, axeSource, eventually, fail, openBrowser, runAll, same, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

// An agent with sessions: it says what it was told, and works until it may stop where that says so.
mkdirSync(join(place.path, 'bin'));
place.script('bin/codex', `told=$(cat)
echo '{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}'
echo '{"type":"turn.started"}'
case "$told" in
  *"take your time"*) while [ ! -e "$HOME/enough" ]; do sleep 0.1; done;;
  *"work for ever"*) while :; do sleep 0.1; done;;
esac
words=$(printf %s "$told" | tail -1)
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"You said: '"$words"'"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`);
place.environment.PATH = `${join(place.path, 'bin')}:${place.environment.PATH}`;

const submit = text => place.tool('task', 'submit', '--agent', 'codex', text);
const rests = id => eventually('the run rests', async () => (await place.api(`/runs/${id}`)).completed_at);
const box = page => page.getByRole('textbox', {name: 'Message to the agent'});
const talk = page => page.locator('.log');

async function goesOn() {
  const id = submit('the first turn');
  await rests(id);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await box(page).waitFor();
    await page.getByText('The agent goes on with it.').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('two');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('lines');
    same('a new line', await box(page).inputValue(), 'two\nlines');
    await page.getByRole('tab', {name: 'Timeline'}).click();
    await page.getByRole('tab', {name: 'Conversation'}).click();
    same('still there after another view', await box(page).inputValue(), 'two\nlines');
    await box(page).press('Enter');
    await eventually('the box is empty', async () => (await box(page).inputValue()) === '');
    await talk(page).locator('.asked').getByText('two').waitFor();
    await talk(page).getByText('You said: lines').waitFor();
    await rests(id);
    same('its turns', (await place.api(`/runs/${id}`)).turns, 2);
    same('the same page', new URL(page.url()).pathname, `/runs/${id}`);
    await page.locator('.unheard').waitFor({state: 'detached'});
  });
}

async function whileAtWork() {
  const id = submit('take your time');
  await withPage(place, browser, {bypassCSP: true}, `/runs/${id}`, async (page, context) => {
    await context.addInitScript(axeSource);
    await page.reload();
    await page.getByText('The agent hears it after its turn.').waitFor();
    await box(page).fill('and then this');
    await page.getByRole('button', {name: 'Send'}).click();
    await page.locator('.unheard').getByText('waiting: the agent hears it after its turn').waitFor();
    const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
    for (const violation of violations) fail(`${violation.id}: ${violation.nodes[0].html}`);
    place.script('enough', '');
    await talk(page).getByText('You said: and then this').waitFor();
    await page.locator('.unheard').waitFor({state: 'detached'});
  });
}

async function interrupted() {
  const id = submit('work for ever');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.getByRole('button', {name: 'Interrupt'}).click();
    await page.locator('.state-pill').getByText(/cancelled|completed/).waitFor();
    await box(page).fill('never mind');
    await box(page).press('Enter');
    await talk(page).getByText('You said: never mind').waitFor();
  });
}

// What could not be sent stays in the box, with the reason.
async function refused() {
  const id = submit('to be refused');
  await rests(id);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.route('**/messages', route => route.abort());
    await box(page).fill('in vain');
    await box(page).press('Enter');
    await page.locator('.message-box').getByRole('alert').waitFor();
    same('the words', await box(page).inputValue(), 'in vain');
    await page.unroute('**/messages');
    await box(page).press('Enter');
    await talk(page).getByText('You said: in vain').waitFor();
  });
}

async function cannotGoOn() {
  const id = place.submit('echo done');
  await rests(id);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.getByText('This run cannot go on').waitFor();
    same('no box', await box(page).count(), 0);
  });
}

// The box stands at the foot of the window, and hides nothing of the end of the page.
async function onSmallScreens() {
  const id = submit('on a phone');
  await rests(id);
  for (const width of [375, 1280]) {
    await withPage(place, browser, {viewport: {width, height: 640}}, `/runs/${id}`, async page => {
      await box(page).waitFor();
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const end = await page.locator('.log').boundingBox();
      const form = await page.locator('.message-box').boundingBox();
      same(`${width}: below the conversation`, end.y + end.height <= form.y + 1, true);
      same(`${width}: in the window`, form.y + form.height <= 640 && form.x >= 0 && form.x + form.width <= width, true);
      same(`${width}: nothing to the side`, await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
    });
  }
}

try {
  await place.serve();
  await runAll({goesOn, whileAtWork, interrupted, refused, cannotGoOn, onSmallScreens});
} finally {
  place.script('enough', '');
  await browser.close();
  await place.close();
}
