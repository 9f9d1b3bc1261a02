// SPDX-License-Identifier: Apache-2.0
// What programs print for a terminal, in its colours, under the page's own policy.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_colours_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {hook, strangers} from './dashboard_hostile.mjs';
import {Place, axeSource, eventually, fail, openBrowser, runAll, same, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();
const E = '\x1b[';

// A run of a program that prints this, or of an agent whose tool printed it; its id.
async function printed(text, as = 'program') {
  const file = join(place.path, `printed-${as}`);
  const line = (type, content) => JSON.stringify({type, message: {id: 'm', role: type, content: [content]}, parent_tool_use_id: null, session_id: 's'});
  writeFileSync(file, as === 'program' ? text : [
    JSON.stringify({type: 'system', subtype: 'init', session_id: 's', cwd: '/', model: 'm', tools: []}),
    line('assistant', {type: 'tool_use', id: 'a', name: 'Bash', input: {command: 'make'}}), line('user', {type: 'tool_result', tool_use_id: 'a', content: text}),
    JSON.stringify({type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'x', session_id: 's'}), '',
  ].join('\n'));
  const id = place.submit(`cat '${file}'`);
  await eventually(`${id} is over`, async () => (await place.api(`/runs/${id}`)).completed_at);
  return id;
}

const styleOf = (page, text) => page.locator('.log pre span').getByText(text, {exact: true}).first().evaluate(span => {
  const {color, backgroundColor, fontWeight, fontStyle, textDecorationLine} = getComputedStyle(span);
  return [color, backgroundColor, fontWeight, fontStyle, textDecorationLine].join(' ');
});

const none = 'rgba(0, 0, 0, 0)';
const palette = `${E}31mred${E}0m ${E}1;3;4;94mall${E}0m ${E}38;5;202morange${E}0m ${E}38;2;0;255;255mcyan${E}0m ${E}97;41mfail${E}0m ${E}31;41mhidden${E}0m ${E}8mconcealed${E}0m ${E}7mturned${E}0m\n`;

async function shown() {
  for (const as of ['program', 'tool']) {
    const id = await printed(palette, as);
    for (const [colorScheme, wanted] of [
      ['light', {red: `rgb(207, 34, 46) ${none} 400 normal none`, all: `rgb(26, 109, 199) ${none} 700 italic underline`, turned: 'rgb(255, 255, 255) rgb(30, 34, 48) 400 normal none'}],
      ['dark', {red: `rgb(255, 123, 114) ${none} 400 normal none`, all: `rgb(121, 192, 255) ${none} 700 italic underline`, turned: 'rgb(22, 25, 32) rgb(226, 229, 235) 400 normal none'}],
    ]) {
      await withPage(place, browser, {colorScheme}, `/runs/${id}`, async page => {
        if (as === 'tool') await page.locator('.tool-line').first().click({timeout: 60_000});
        await page.locator('.log pre span').first().waitFor({timeout: 60_000});
        for (const [text, style] of Object.entries(wanted)) same(`${text} in ${colorScheme}`, await styleOf(page, text), style);
        same('on a ground of its own', await styleOf(page, 'fail'), 'rgb(255, 255, 255) rgb(207, 34, 46) 400 normal none');
        same('not hidden', await styleOf(page, 'hidden'), 'rgb(255, 255, 255) rgb(207, 34, 46) 400 normal none');
        for (const text of ['orange', 'cyan']) if ((await styleOf(page, text)).startsWith('rgb(30, 34, 48)')) fail(`${text} has no colour`);
        await page.getByRole('button', {name: /^Theme/}).click(); // light, whatever the system says
        await eventually('the other shade', async () => (await styleOf(page, 'red')).startsWith('rgb(207, 34, 46)'));
        // Who copies it has the words.
        const copied = await page.locator('.log pre').last().evaluate(pre => {
          window.getSelection().selectAllChildren(pre);
          return window.getSelection().toString().trim();
        });
        same('copied', copied, 'red all orange cyan fail hidden concealed turned');
      });
    }
  }
}

// Sequences that a terminal would obey, and more colours than anybody needs.
async function hostile() {
  const texts = [
    `${E}31m<img src=x onerror=alert(1)>${E}0m<b>${E}1m</b>`, `${E}2J${E}H${E}?1049h${E}10A\x1b]0;title\x07\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\`,
    `${E}38;2;1;2;3;48;2;1;2;3m${E}8msecret${E}0m`, `${E}31;url(//evil)m x ${E}31;}body{display:none}m`, `${E}${'31;'.repeat(5000)}mlong`,
    Array.from({length: 3_000}, (_, i) => `${E}38;5;${i % 256}mx`).join(''), `${E}7m${E}31m never ended`,
  ];
  for (const as of ['program', 'tool']) {
    const id = await printed(`${texts.join('\n')}\n`, as);
    await withPage(place, browser, {bypassCSP: true}, '/new', async (page, context) => {
      await context.addInitScript(hook);
      await page.goto(`${place.url}/runs/${id}`);
      if (as === 'tool') await page.locator('.tool-line').first().click({timeout: 60_000});
      await page.getByText('secret').first().waitFor({timeout: 60_000});
      for (const button of await page.locator('.output .link-button').all()) await button.click();
      await page.locator('.log').getByText('never ended').first().waitFor();
      const words = (await page.locator('.log pre').allInnerTexts()).join('').replaceAll('\n', ''); // a long line goes on in another block
      for (const part of ['<img src=x onerror=alert(1)><b></b>', '\u241b[2J\u241b[H', '\u241b]0;title', '\u241b]8;;javascript:alert(1)', 'secret', 'long', 'x'.repeat(3_000)]) {
        if (!words.includes(part)) fail(`${as}: ${part.slice(0, 60)} is not shown`);
      }
      if ((await page.locator('.log span').count()) > 4_500) fail(`${await page.locator('.log span').count()} spans`);
      const after = await page.locator('.run-aside').first().evaluate(aside => getComputedStyle(aside).color);
      same('nothing leaves its block', after, 'rgb(30, 34, 48)');
      for (const made of await page.evaluate(() => window.executions.splice(0))) fail(`ran ${made}`);
      for (const stranger of new Set(await page.evaluate(strangers))) fail(stranger);
    });
  }
}

// Each of the colours, on the page and on each other, in both themes.
async function legible() {
  let text = '';
  for (const base of [30, 90, 40, 100]) for (let i = 0; i < 8; i += 1) text += `${E}${base + i}mcolour${E}0m ${E}2;${base + i}mdim${E}0m ${E}7;${base + i}mturned${E}0m\n`;
  for (let i = 16; i < 256; i += 7) text += `${E}38;5;${i}m${i}${E}0m ${E}48;5;${i}m${i}${E}0m ${E}38;5;${i};48;5;${i - 3}m${i}${E}0m\n`;
  for (const as of ['program', 'tool']) {
    const id = await printed(text, as);
    for (const [colorScheme, width] of [['light', 1280], ['dark', 375]]) {
      await withPage(place, browser, {colorScheme, viewport: {width, height: 860}, reducedMotion: 'reduce', bypassCSP: true}, '/new', async (page, context) => {
        await context.addInitScript(axeSource);
        await page.goto(`${place.url}/runs/${id}`);
        if (as === 'tool') await page.locator('.tool-line').first().click({timeout: 60_000});
        await page.locator('.log pre span').first().waitFor({timeout: 60_000});
        await page.evaluate(() => { for (const pre of document.querySelectorAll('.log pre')) pre.style.maxHeight = 'none'; }); // axe sees what is in sight
        const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
        for (const violation of violations) fail(`${as} ${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} (${violation.nodes.length}) ${violation.nodes[0].failureSummary}`);
      });
    }
  }
}

// A word that changes its colour is one word.
async function found() {
  const id = await printed(`${Array.from({length: 200}, (_, i) => `line ${i}`).join('\n')}\n${E}1;31mer${E}33mror${E}0m: ${E}4mno${E}0m such thing\n`);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.locator('.log pre').first().waitFor({timeout: 60_000});
    await page.keyboard.press('/');
    await page.keyboard.type('error: no such');
    await eventually('it is found', async () => (await page.locator('.find-count').innerText()) === '1 of 1');
    await eventually('and shown', () => page.evaluate(() => [...(CSS.highlights.get('here') ?? [])].some(range => range.toString() === 'error: no such')));
  });
}

try {
  await place.serve();
  await runAll({shown, hostile, legible, found});
} finally {
  await browser.close();
  await place.close();
}
