// SPDX-License-Identifier: Apache-2.0
// Every view of the dashboard passes every rule of axe-core: light and dark, phone and desk.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_access_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {Place, allViews, axeSource, fail, full, openBrowser, runAll, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

// Both colours and both widths at the full count; below it each colour and each width once.
const looks = [['light', 1280], ['dark', 375], ...(full ? [['light', 375], ['dark', 1280]] : [])];

async function access() {
  const views = await allViews(place);
  for (const [colorScheme, width] of looks) {
    await withPage(place, browser, {colorScheme, viewport: {width, height: 860}, reducedMotion: 'reduce', bypassCSP: true}, '/new', async (page, context) => {
      await context.addInitScript(axeSource);
      for (const path of views) {
        await page.goto(place.url + path);
        await page.locator('main h1').first().waitFor();
        await page.waitForTimeout(150);
        await page.evaluate(() => { for (const button of document.querySelectorAll('.tool-line[aria-expanded=false]')) button.click(); });
        if (path === '/') await page.keyboard.press('?');
        const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
        for (const violation of violations) fail(`${path} ${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} (${violation.nodes.length}) ${violation.nodes[0].failureSummary}`);
      }
    });
  }
}

try {
  await place.serve();
  await runAll({access});
} finally {
  await browser.close();
  await place.close();
}
