// SPDX-License-Identifier: Apache-2.0
// web_paint.mjs ROOT URL TOKEN: opens the page in a real browser, five times with an empty cache, and
// prints as JSON when the median one was painted first and when it showed its first run.
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {browserPath} from '../tests/e2e/browser_path.mjs';

const [root, url, token] = process.argv.slice(2);
const {chromium} = createRequire(join(root, 'tests/e2e/'))('playwright-core');
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox'],
});
const samples = [];
for (let round = 0; round < 5; round++) {
  const context = await browser.newContext({extraHTTPHeaders: {authorization: `Bearer ${token}`}});
  const page = await context.newPage();
  await page.goto(url, {waitUntil: 'commit'});
  await page.locator('a[href^="/runs/"]').first().waitFor();
  samples.push(
    await page.evaluate(() => ({
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity,
      runs: performance.now(),
    })),
  );
  await context.close();
}
await browser.close();
const median = name => samples.map(sample => sample[name]).sort((a, b) => a - b)[2];
console.log(JSON.stringify({paint: median('paint'), runs: median('runs')}));
