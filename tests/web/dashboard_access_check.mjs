// SPDX-License-Identifier: Apache-2.0
// Every view of the dashboard passes every rule of axe-core: light and dark, phone and desk.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_access_check.mjs SOURCE_DIR DRAGOMAN [PART OF A TEST'S NAME]
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {Place, allViews, axeSource, fail, openBrowser, runAll, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();

async function access() {
  const views = await allViews(place);
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [375, 1280]) {
      for (const path of views) {
        await withPage(place, browser, {colorScheme, viewport: {width, height: 860}, reducedMotion: 'reduce'}, path, async page => {
          await page.locator('main h1').first().waitFor();
          await page.waitForTimeout(150);
          await page.evaluate(() => { for (const button of document.querySelectorAll('.tool-line[aria-expanded=false]')) button.click(); });
          if (path === '/') await page.keyboard.press('?');
          await page.evaluate(axeSource);
          const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
          for (const violation of violations) fail(`${path} ${colorScheme} ${width}: ${violation.id}: ${violation.nodes[0].html} (${violation.nodes.length}) ${violation.nodes[0].failureSummary}`);
        });
      }
    }
  }
}

try {
  await place.serve();
  await runAll({access});
} finally {
  await browser.close();
  await place.close();
}
