// SPDX-License-Identifier: Apache-2.0
// Finding words in a whole run, in Debian's Chromium, served by the real program.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_find_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {hook, strangers} from './dashboard_hostile.mjs';
import {Place, axeSource, eventually, fail, openBrowser, runAll, same, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

const over = id => eventually(`${id} is over`, async () => (await place.api(`/runs/${id}`)).completed_at);
const count = (page, words) => eventually(words, async () => (await page.locator('.find-count').innerText()) === words)
  .catch(async () => fail(`"${await page.locator('.find-count').innerText()}" instead of "${words}"`));

// The place that is shown: its words, those around it, and whether it is in sight.
const here = page => page.evaluate(() => {
  const [range] = CSS.highlights.get('here') ?? [];
  if (!(range?.startContainer instanceof Text)) return null; // what it was in is drawn again
  const {top, bottom, height} = range.getBoundingClientRect();
  const box = range.startContainer.parentElement.closest('pre')?.getBoundingClientRect();
  const seen = height > 0 && top > 120 && bottom < window.innerHeight && (!box || (top >= box.top && bottom <= box.bottom));
  const line = range.startContainer.data.slice(0, range.startOffset).split('\n').pop() + range.startContainer.data.slice(range.startOffset).split('\n')[0];
  return {words: range.toString(), line, seen};
});
const at = async (page, line) => {
  let last = null;
  await eventually(`at "${line}"`, async () => {
    last = await here(page);
    return last?.seen && last.line.includes(line);
  }).catch(() => fail(`${JSON.stringify(last)} instead of "${line}"`));
};

async function open(page, words, name = 'this run') {
  await page.locator('.log .block').first().waitFor({timeout: 60_000});
  await page.keyboard.press('/');
  await page.getByLabel(`Find in ${name}`, {exact: true}).last().waitFor();
  await page.keyboard.type(words);
}

// The page holds the end of this run; what is looked for stands far above and is not in it.
async function wholeRun() {
  const id = place.submit('seq 1 3000 | sed "s/^/line /"; echo "A Zebra, a zebra (1)"; seq 3001 6000 | sed "s/^/line /"; echo "zebra (2)"; seq 6001 9000 | sed "s/^/line /"');
  await over(id);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.getByText(/line 9000\n/).first().waitFor({timeout: 60_000});
    await page.getByRole('tab', {name: 'Timeline'}).focus();
    await open(page, 'ZEBRA');
    await count(page, '3 of 3');
    await at(page, 'zebra (2)');
    await page.keyboard.press('Shift+Enter');
    await count(page, '2 of 3');
    await at(page, 'A Zebra, a zebra (1)');
    await eventually('the address leads to it', () => page.url().endsWith('?seq=3001'));
    await page.keyboard.press('Shift+Enter');
    await count(page, '1 of 3');
    await eventually('the words as they stand there', async () => (await here(page))?.words === 'Zebra');
    await page.getByRole('button', {name: 'Previous place'}).click();
    await count(page, '3 of 3');
    await at(page, 'zebra (2)');
    await page.getByRole('button', {name: 'Next place'}).click();
    await count(page, '1 of 3');
    await eventually('it is said', async () => (await page.locator('[aria-live=polite]').last().innerText()) === '1 of 3');
    // Signs are signs, and what is not there is not found.
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('(2)');
    await count(page, '1 of 1');
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('.*');
    await count(page, 'Nothing found');
    await page.keyboard.press('Escape');
    await page.locator('.find').waitFor({state: 'detached'});
    same('the focus', await page.evaluate(() => document.activeElement.id), 'tab-time');
    await eventually('no marks are left', () => page.evaluate(() => CSS.highlights.size === 0));
  });
}

const claude = (type, message, parent = null) => JSON.stringify({type, message, parent_tool_use_id: parent, session_id: 's'});
const call = (id, name, input, parent) => claude('assistant', {id: `m-${id}`, role: 'assistant', content: [{type: 'tool_use', id, name, input}]}, parent);
const result = (id, content, parent) => claude('user', {role: 'user', content: [{type: 'tool_result', tool_use_id: id, content}]}, parent);
const say = (content, parent) => claude('assistant', {id: `m-${JSON.stringify(content).length}`, role: 'assistant', content}, parent);

// In the tool that printed it and far down in its output, inside a subagent, in thoughts.
async function insideTools() {
  const long = Array.from({length: 2_000}, (_, i) => `row ${i + 1}${i % 900 === 800 ? ' needle' : ''}`).join('\n');
  const lines = [
    JSON.stringify({type: 'system', subtype: 'init', session_id: 's', cwd: '/', model: 'm', tools: []}),
    call('one', 'Bash', {command: 'make all'}), call('two', 'Bash', {command: 'make test'}),
    result('one', long), result('two', 'nothing to see'),
    call('sub', 'Agent', {description: 'Look around', prompt: 'x'}), say([{type: 'text', text: 'a subagent with a **nee**dle'}], 'sub'), result('sub', 'done'),
    say([{type: 'thinking', thinking: 'a thought of a needle'}]), say([{type: 'text', text: 'The end.'}]),
    JSON.stringify({type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'The end.', session_id: 's'}),
  ];
  writeFileSync(join(place.path, 'tools.jsonl'), `${lines.join('\n')}\n`);
  const id = place.submit(`cat '${join(place.path, 'tools.jsonl')}'`);
  await over(id);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await open(page, 'needle');
    await count(page, '1 of 3');
    await at(page, 'row 801 needle');
    same('in the tool that printed it', await page.locator('.wxcode-tool.open .tool-line').first().innerText().then(text => text.includes('make all')), true);
    await page.keyboard.press('Enter');
    await at(page, 'row 1701 needle');
    await page.keyboard.press('Enter');
    await count(page, '3 of 3');
    await at(page, 'a thought of a needle');
    // The words of a subagent, inside its tool; the signs of Markdown between the letters are not shown.
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('a subagent with');
    await count(page, '1 of 1');
    await at(page, 'a subagent with a');
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('make test');
    await count(page, '1 of 1');
    await at(page, 'make test');
    same('in its command', await page.evaluate(() => [...CSS.highlights.get('here')][0].startContainer.parentElement.className), 'command');
  });
}

// A recording that is only looked at has the same bar; the page itself looks through it.
async function recording() {
  const lines = Array.from({length: 4_000}, (_, i) => say([{type: 'text', text: `line ${i + 1}${i % 1_500 === 700 ? ' with a Zebra' : ''}`}]));
  lines.splice(2_000, 0, call('one', 'Bash', {command: 'look for a zebra'}), result('one', 'one\n\u001b[31mze\u001b[0mbra'));
  writeFileSync(join(place.path, 'recording.jsonl'), `${lines.join('\n')}\n`);
  await withPage(place, browser, {}, '/view', async page => {
    await page.locator('input[type=file]').setInputFiles(join(place.path, 'recording.jsonl'));
    await page.locator('.run-head h1').getByText('recording.jsonl').waitFor();
    await open(page, 'zebra', 'this recording');
    await count(page, '1 of 5');
    await at(page, 'line 701 with a Zebra');
    await page.keyboard.press('Shift+Enter');
    await count(page, '5 of 5');
    await at(page, 'line 3701 with a Zebra');
    await page.getByRole('textbox', {name: 'Find in this recording'}).fill('nowhere');
    await count(page, 'Nothing found');
    await page.getByRole('textbox', {name: 'Find in this recording'}).fill('zebra');
    await count(page, '5 of 5');
    for (const line of ['line 701', 'look for a zebra', 'ze']) {
      await page.keyboard.press('Enter');
      await at(page, line);
    }
    same('across colours', (await here(page)).words, 'zebra');
    await page.keyboard.press('Escape');
    await page.locator('.find').waitFor({state: 'detached'});
    // From another view it leads back to the conversation.
    await page.keyboard.press('v');
    await page.keyboard.press('2');
    await page.getByRole('button', {name: 'Find in this recording'}).click();
    await page.keyboard.type('line 9');
    await count(page, '111 of 111');
    await at(page, 'line 999');
  });
}

// New lines come while somebody looks: the count grows, and the place stays.
async function liveRun() {
  const id = place.submit('i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo "tick $i."; sleep 0.02; done');
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.getByText('tick 30.').first().waitFor({timeout: 60_000});
    await open(page, 'tick 1');
    const found = await eventually('something is found', async () => /^(\d+) of (\d+)$/.exec(await page.locator('.find-count').innerText()));
    await eventually('it is shown', async () => (await here(page))?.seen);
    const {line} = await here(page);
    await eventually('more is found', async () => {
      const now = /^(\d+) of (\d+)$/.exec(await page.locator('.find-count').innerText());
      return now && now[1] === found[1] && Number(now[2]) > Number(found[2]);
    });
    const after = await here(page);
    same('the place stays', [after.line, after.seen], [line, true]);
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('comes later');
    await count(page, 'Nothing found');
    await page.keyboard.press('Escape');
    await page.keyboard.press('G');
    await eventually('it follows again', async () => (await page.locator('.jump').count()) === 0);
  });
  place.tool('task', 'cancel', id);
}

// What is looked for and what is found may be hostile: it is text, and nothing else happens.
async function hostileWords() {
  const hostile = '<img src=x onerror=alert(1)> "$(id)" \\u202e %s ../../ &amp;';
  writeFileSync(join(place.path, 'hostile.txt'), `${`${hostile}\n`.repeat(3)}\u001b[31m<scr\u001b[0mipt>alert(2)</script>\n`);
  const id = place.submit(`cat '${join(place.path, 'hostile.txt')}'`);
  await over(id);
  await withPage(place, browser, {bypassCSP: true}, '/new', async (page, context) => {
    await context.addInitScript(hook);
    await page.goto(`${place.url}/runs/${id}`);
    await open(page, hostile);
    await count(page, '1 of 3');
    await eventually('it is shown', async () => (await here(page))?.words === hostile);
    for (const words of ['<script>alert(2)', '%', '\\', '"', "' OR 1=1;--", '(((((', 'x'.repeat(200), '\u202e\ud83d']) {
      await page.getByRole('textbox', {name: 'Find in this run'}).fill(words);
      await eventually(`an answer about ${JSON.stringify(words)}`, async () => /of|Nothing/.test(await page.locator('.find-count').innerText()));
    }
    for (const made of await page.evaluate(() => window.executions.splice(0))) fail(`ran ${made}`);
    for (const stranger of new Set(await page.evaluate(strangers))) fail(stranger);
    await page.getByRole('textbox', {name: 'Find in this run'}).fill('<script>alert(2)');
    await count(page, '1 of 1');
  });
}

async function access() {
  const id = place.submit('seq 1 300 | sed "s/^/line /"');
  await over(id);
  for (const [colorScheme, width] of [['light', 375], ['dark', 1280]]) {
    await withPage(place, browser, {colorScheme, viewport: {width, height: 760}, reducedMotion: 'reduce', bypassCSP: true}, '/new', async (page, context) => {
      await context.addInitScript(axeSource);
      await page.goto(`${place.url}/runs/${id}`);
      await page.getByRole('button', {name: 'Find in this run'}).click();
      for (const [words, said] of [['line 77', '1 of 1'], ['nowhere', 'Nothing found']]) {
        await page.getByRole('textbox', {name: 'Find in this run'}).fill(words);
        await count(page, said);
        const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
        for (const violation of violations) fail(`${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} ${violation.nodes[0].failureSummary}`);
      }
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wider > 0) fail(`${wider} pixels wider than a phone`);
      await page.getByRole('button', {name: 'Close the find bar'}).click();
      await page.locator('.find').waitFor({state: 'detached'});
      same('the focus is back', await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Find in this run');
    });
  }
}

try {
  await place.serve();
  await runAll({wholeRun, insideTools, recording, liveRun, hostileWords, access});
} finally {
  await browser.close();
  await place.close();
}
