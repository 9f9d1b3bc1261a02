// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of docs/dashboard.md: node ui/mock/pictures.mjs, with the mock running.
import {mkdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {browserPath} from '../../tests/e2e/browser_path.mjs';

const root = join(import.meta.dirname, '../..');
const {chromium} = createRequire(join(root, 'tests/e2e/'))('playwright-core');
const out = join(root, 'docs/images');
const url = process.env.DRAGOMAN_URL ?? 'http://127.0.0.1:4788';
const pictures = [
  {name: 'runs', path: '/', width: 1200, height: 760},
  {name: 'run', path: '/runs/r-tidy', width: 1200, height: 900, open: 1},
  {name: 'question', path: '/runs/r-ask', width: 1200, height: 800, colorScheme: 'dark'},
  {name: 'timeline', path: '/runs/r-tidy?view=time', width: 1200, height: 720},
  {name: 'phone', path: '/', width: 375, height: 720, colorScheme: 'dark'},
];

mkdirSync(out, {recursive: true});
const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--hide-scrollbars']});
for (const {name, path, width, height, open, colorScheme = 'light'} of pictures) {
  const page = await browser.newPage({viewport: {width, height}, colorScheme, reducedMotion: 'reduce'});
  await page.goto(url + path);
  await page.locator('main h1').first().waitFor();
  await page.waitForTimeout(600);
  for (let i = 0; i < (open ?? 0); i += 1) await page.locator('.tool-line').nth(i).click();
  await page.screenshot({path: join(out, `dashboard-${name}.png`)});
  await page.close();
}
await browser.close();
