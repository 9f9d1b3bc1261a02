// SPDX-License-Identifier: Apache-2.0
// Answering questions with the keyboard, on small screens and over bad connections, in Debian's Chromium.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_answers_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {Place, asking, eventually, fail, openBrowser, runAll, same, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();
const focused = page => page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.type ?? ''}`.trim());
const card = page => page.locator('.question-card').first();

// Words go into the field that has appeared; none of them is a shortcut.
async function anotherAnswer() {
  const id = await place.runExecutor('asking_other.sh', asking, 'Ask for another answer');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await card(page).waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('n');
    await page.keyboard.press('x');
    same('no shortcut in the form', [new URL(page.url()).pathname, await page.locator('dialog').count()], [`/runs/${id}`, 0]);
    await page.keyboard.press('2');
    await page.keyboard.press('ArrowUp');
    same('arrow keys go on from the digit', await page.locator('.choice.chosen .choice-label').innerText(), 'localStorage');
    await card(page).getByText('Another answer').click();
    await eventually('the field has the focus', async () => (await focused(page)) === 'TEXTAREA textarea');
    await page.keyboard.type('next to nothing');
    // It is still there after a look at another view, and at another page.
    await page.getByRole('tab', {name: 'Timeline'}).click();
    await page.getByRole('tab', {name: 'Conversation'}).click();
    same('after another view', await card(page).locator('textarea').inputValue(), 'next to nothing');
    await page.getByRole('link', {name: 'Questions'}).click();
    const here = page.locator('.question-card').filter({hasText: 'another answer'});
    same('on another page', await here.locator('textarea').inputValue(), 'next to nothing');
    await here.locator('textarea').press('Control+Enter');
    await here.waitFor({state: 'detached'});
    await eventually('the agent has it', async () => JSON.stringify(await place.events(id)).includes('next to nothing'));
  });
}

// An answer that does not get through leaves everything as it was: words, focus, and a reason until somebody goes on.
async function failedAnswer() {
  const id = await place.runExecutor('asking_failed.sh', asking, 'Ask in vain');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await card(page).getByLabel(/sessionStorage/).check();
    await page.route('**/answer', route => route.abort());
    await card(page).getByRole('button', {name: 'Answer'}).press('Enter');
    await card(page).getByRole('alert').waitFor();
    same('the focus', await focused(page), 'BUTTON submit');
    await card(page).getByLabel(/localStorage/).check();
    await card(page).getByRole('alert').waitFor({state: 'detached'});
    await page.unroute('**/answer');
    await card(page).getByRole('button', {name: 'Answer'}).click();
    await card(page).waitFor({state: 'detached'});
  });
}

const many = `echo "[PROGRESS] Looking around"; seq 1 80 | sed "s/^/line /"; echo "[QUESTION] Which of the places that were found shall the tokens of a session live in?"; echo "Options:"
for i in 1 2 3 4 5 6 7 8 9; do echo "$i. Place number $i - with a description that takes a line of its own on a telephone"; done; echo`;

// The question and its button are between the head and the foot of the window, however small that is.
async function onSmallScreens() {
  const id = await place.runExecutor('asking_many.sh', many, 'Ask with many options');
  for (const [width, height] of [[375, 667], [380, 780], [1280, 620]]) {
    await withPage(place, browser, {viewport: {width, height}}, `/runs/${id}`, async page => {
      await card(page).waitFor();
      await page.waitForTimeout(300);
      const box = locator => locator.evaluate(element => { const {top, bottom} = element.getBoundingClientRect(); return [Math.round(top), Math.round(bottom)]; });
      const look = async when => {
        const [, head] = await box(page.locator('.run-top'));
        const foot = width < 832 ? (await box(page.locator('.nav')))[0] : height;
        for (const [name, part] of [['question', card(page).locator('h2')], ['button', card(page).getByRole('button', {name: 'Answer'})]]) {
          const [top, bottom] = await box(part);
          if (top < head || bottom > foot) fail(`${width}x${height} ${when}: the ${name} is at ${top}–${bottom}, and there is room from ${head} to ${foot}`);
        }
      };
      await look('opened');
      const last = card(page).getByLabel(/Place number 9/);
      await last.focus();
      await look('at the last option');
      const [top, bottom] = await box(last);
      const [button] = await box(card(page).getByRole('button', {name: 'Answer'}));
      if (bottom > button || top < 0) fail(`${width}x${height}: the last option is at ${top}–${bottom}, the button at ${button}`);
      await page.keyboard.press('Escape');
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.waitForTimeout(200);
      await look('at the beginning of the run');
    });
  }
}

// A Claude that asks whether it may run a command of two lines.
const claude = `read prompt
printf '%s\\n' '{"type":"system","subtype":"init","session_id":"s","cwd":".","model":"m"}'
printf '%s\\n' '{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Bash","tool_use_id":"t","input":{"command":"cd sub\\nnpm \\u001b[2J"},"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm *"}],"behavior":"allow","destination":"session"}]}}'
read told
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s"}'
cat > /dev/null`;

// The command is in sight, y and n mean what they say, and what is no reason is no denial.
async function permission() {
  place.script('claude', claude);
  place.environment.PATH = `${place.path}:${place.environment.PATH}`;
  const id = await place.runAsking(['--agent', 'claude', '--io', 'jsonl', 'Ask for permission'], 'Ask for permission');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await card(page).waitFor();
    same('the question', await card(page).locator('h2').innerText(), 'Allow Bash?');
    same('the command', await card(page).locator('pre.command').innerText(), 'cd sub\nnpm ␛[2J');
    const chosen = () => page.locator('.choice.chosen .choice-label').innerText();
    await page.keyboard.press('a');
    await page.keyboard.press('y');
    same('y', await chosen(), 'Allow');
    await page.keyboard.press('n');
    same('n', await chosen(), 'Deny');
    await page.keyboard.press('3');
    same('3', await chosen(), 'Allow for this session');
    await card(page).getByText('Deny, and say why').click();
    await page.keyboard.type('y');
    await page.keyboard.press('Control+Enter');
    await card(page).getByText('that is no reason to deny it').waitFor();
    await card(page).locator('textarea').fill('use pnpm instead');
    await page.keyboard.press('Control+Enter');
    await card(page).waitFor({state: 'detached'});
    await page.getByText('denied: use pnpm instead').waitFor();
    same('the denial', await page.locator('.wxcode-question-denied').count(), 1);
  });
}

// What is shown of it where there is little room is the question, not the first letters of it.
async function names() {
  const id = await place.runExecutor('asking_name.sh', asking, 'Ask by name');
  await withPage(place, browser, {}, '/', async page => {
    await page.locator('.run-row').filter({hasText: 'Ask by name'}).getByText('waits for: Where do tokens live?').waitFor();
    await page.goto(`${place.url}/runs/${id}`);
    await card(page).waitFor();
    same('no chip', await card(page).locator('.chip').count(), 0);
  });
}

try {
  await place.serve();
  await runAll({anotherAnswer, permission, failedAnswer, onSmallScreens, names});
} finally {
  await browser.close();
  await place.close();
}
