// SPDX-License-Identifier: Apache-2.0
// Opens the pages in Debian's Chromium: the hostile ones must run nothing, ask for nothing and hold
// nothing but our own elements; the others must pass every rule of axe-core, light and dark.
//
//   npm ci --prefix tests/e2e
//   node tests/e2e/page_check.mjs SOURCE_DIR SHOW_TESTS
//
// Exit 0: all well; 1: not; 77: the driver or the browser is not installed (1 with DRAGOMAN_NO_SKIP).
import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {browserPath} from './browser_path.mjs';

const [sourceDir, testProgram] = process.argv.slice(2).map(path => resolve(path));
const require = createRequire(join(sourceDir, 'tests/e2e/'));
let chromium;
let axeSource;
try {
  ({chromium} = require('playwright-core'));
  axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch {
  console.log('skipped: playwright-core is not installed (npm ci --prefix tests/e2e)');
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}
if (!existsSync(browserPath)) {
  console.log(`skipped: no browser at ${browserPath} (apt-get install chromium-headless-shell)`);
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}

let wrong = 0;
function fail(message) {
  wrong += 1;
  if (wrong <= 20) console.log(message.slice(0, 500));
}

// Runs in the page before anything of it: whatever hostile text could call is counted.
function hook() {
  window.executions = [];
  const note = name => (...args) => {
    window.executions.push(`${name}(${String(args[0]).slice(0, 80)})`);
  };
  for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'fetch']) {
    window[name] = note(name);
  }
  for (const name of ['XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'Image']) {
    window[name] = function() { note(name)(); };
  }
  // The driver itself evaluates; anybody else is noted.
  for (const name of ['eval', 'Function']) {
    const real = window[name];
    window[name] = function(...args) {
      if (new Error().stack.includes('UtilityScript')) return real.apply(this, args);
      return note(name)(...args);
    };
  }
  navigator.sendBeacon = note('sendBeacon');
  window.addEventListener('error', event => note('error')(event.message), true);
}

// Everything that is not ours: elements, attributes, targets of links.
function strangers() {
  const tags = new Set(('html head meta title style body a header h1 h2 h3 h4 h5 h6 main div p ' +
    'span strong em del code pre ul ol li br hr blockquote table thead tbody tr th td dl dt dd ' +
    'details summary svg rect line g text footer').split(' '));
  const attributes = new Set(('lang charset http-equiv content name class href rel id tabindex role aria-label ' +
    'aria-hidden aria-valuenow aria-valuemin aria-valuemax dir open data-mark viewBox ' +
    'preserveAspectRatio width height x y x1 x2 y1 y2 rx text-anchor font-weight start scope').split(' '));
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    if (!tags.has(element.localName)) found.push(`<${element.localName}>`);
    for (const {name, value} of element.attributes) {
      if (!attributes.has(name)) found.push(`${element.localName}[${name}]`);
      if (name === 'href' && !/^(https?:\/\/|mailto:|#run$)/i.test(value)) found.push(`href=${value}`);
      if (name === 'name' && element.localName !== 'meta') found.push(`name=${value}`);
      if (name === 'id' && value !== 'run') found.push(`id=${value}`);
    }
  }
  if (document.documentElement.lastElementChild !== document.body) found.push('something after the body');
  return found;
}

// One tab for all files: opening one takes longer than most pages.
async function visitAll(browser, {hooked, ...options}, files, use) {
  const context = await browser.newContext(options);
  if (hooked) await context.addInitScript(hook);
  let current = '';
  let requests = [];
  await context.route('**', route => {
    const url = route.request().url();
    if (url === current) return route.continue();
    requests.push(url);
    return route.abort();
  });
  const page = await context.newPage();
  page.on('dialog', dialog => { fail(`${current}: dialog ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', request => { if (request.url() !== current) requests.push(request.url()); });
  context.on('page', () => fail(`${current}: opened a window`));
  for (const file of files) {
    current = `file://${file}`;
    await page.goto(current, {waitUntil: 'load'});
    await use(page, file);
    for (const call of await page.evaluate(() => window.executions ?? [])) fail(`${file}: ran ${call}`);
    for (const url of requests) fail(`${file}: asked for ${url}`);
    requests = [];
    if (page.url() !== current) fail(`${file}: went to ${page.url()}`);
  }
  await context.close();
}

// Without the page's own policy, which would hide what the escaping has to do by itself.
async function checkHostile(browser, files) {
  await visitAll(browser, {hooked: true, bypassCSP: true}, files, async (page, file) => {
    await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
    for (const what of await page.evaluate(strangers)) fail(`${file}: ${what}`);
  });
}

// Both colours and both widths at the full count; below it each colour and each width once.
const full = Number(process.env.DRAGOMAN_SCALE ?? 0.05) >= 1;
const looks = [['light', 1280], ['dark', 375], ...(full ? [['light', 375], ['dark', 1280]] : [])];

// Words that run from right to left begin at the right, wherever an agent may say them.
function leftBehind() {
  return ['p', 'li', 'h3', 'th', 'td', 'summary'].filter(tag => {
    const element = document.createElement(tag);
    element.style.display = 'block';
    element.textContent = '\u05e9\u05dc\u05d5\u05dd, and English.';
    document.querySelector('main').append(element);
    const words = document.createRange();
    words.selectNodeContents(element);
    return element.getBoundingClientRect().right - words.getBoundingClientRect().right > 30;
  });
}

async function checkAccess(browser, files) {
  for (const [colorScheme, width] of looks) {
    const options = {colorScheme, viewport: {width, height: 900}};
    await visitAll(browser, {...options, hooked: false}, files, async (page, file) => {
      await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
      await page.evaluate(axeSource);
      const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
      for (const violation of violations) {
        fail(`${file} ${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} ` +
             `(${violation.nodes.length})`);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      if (wide) fail(`${file}: wider than ${width} pixels`);
      if (file === files[0]) for (const tag of await page.evaluate(leftBehind)) fail(`${file}: <${tag}> begins at the left`);
    });
  }
}

const pages = mkdtempSync(join(tmpdir(), 'dragoman-pages-'));
let browser;
let hostile = [];
let read = [];
try {
  execFileSync(testProgram, ['--gtest_filter=*AreWrittenForTheBrowser', '--gtest_brief=1'],
               {env: {...process.env, DRAGOMAN_PAGES: pages}, stdio: ['ignore', 'ignore', 'inherit']});
  browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox']});
  const files = readdirSync(pages).sort();
  hostile = files.filter(name => name.startsWith('hostile_')).map(name => join(pages, name));
  read = files.filter(name => !name.startsWith('hostile_')).map(name => join(pages, name));
  await checkHostile(browser, hostile);
  await checkAccess(browser, read);
} finally {
  await browser?.close();
  rmSync(pages, {recursive: true, force: true});
}
const counts = `${hostile.length} hostile pages, ${read.length} others in light and dark`;
if (hostile.length === 0 || read.length === 0) fail(`${counts}: some are missing`);
console.log(`${counts}: ${wrong} wrong`);
process.exit(wrong === 0 ? 0 : 1);
