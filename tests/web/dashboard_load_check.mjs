// SPDX-License-Identifier: Apache-2.0
// 10,000 events a second for one minute (DRAGOMAN_SCALE of it) into an open page: the tab answers, its
// heap stays small, and in the end it shows what the log has. Prints what it measured.
//
//   npm ci --prefix tests/e2e
//   node tests/web/dashboard_load_check.mjs SOURCE_DIR DRAGOMAN
//
// Exit 0: all well; 1: not; 77: the driver, the browser or the page is not there (1 with DRAGOMAN_NO_SKIP).
import {Place, eventually, fail, openBrowser, runAll, withPage} from './dashboard_support.mjs';

const place = new Place();
const browser = await openBrowser();
const seconds = Math.max(3, 60 * Number(process.env.DRAGOMAN_SCALE ?? 0.05));
const largestHeap = 200e6;

// Lines of text and status markers in turn, 500 every 50 ms: as many events.
const writer = `
  let n = 0;
  const begun = Date.now();
  const timer = setInterval(() => {
    let text = '';
    const due = Math.min(${seconds}, (Date.now() - begun) / 1000) * 10000;
    while (n < due) { n += 1; text += n % 2 ? '[PROGRESS] step ' + n + '\\n' : 'line ' + n + ' says something.\\n'; }
    process.stdout.write(text);
    if (Date.now() - begun > ${seconds * 1000}) { clearInterval(timer); process.stdout.write('the very end\\n[CODEX_COMPLETE] Task completed in 1 iterations\\n'); }
  }, 50);`;

async function flood() {
  const file = place.script('flood.mjs', '');
  (await import('node:fs')).writeFileSync(file, writer);
  const id = place.tool('task', 'submit', '--', process.execPath, file);
  await withPage(place, browser, {}, `/runs/${id}`, async page => {
    await page.locator('.log .block').first().waitFor({timeout: 60_000});
    const thread = await page.context().newCDPSession(page);
    await thread.send('Performance.enable', {timeDomain: 'threadTicks'});
    const worked = async () => (await thread.send('Performance.getMetrics')).metrics.find(metric => metric.name === 'TaskDuration').value;
    const begun = await worked();
    const begunAt = Date.now();
    // How long the page keeps somebody waiting: the time between two turns of its loop.
    await page.evaluate(() => {
      window.waits = [];
      let last = performance.now();
      setInterval(() => {
        const now = performance.now();
        window.waits.push(now - last);
        last = now;
      }, 20);
    });
    let heap = 0;
    let nodes = 0;
    await eventually('the run is over', async () => {
      const seen = await page.evaluate(() => [performance.memory.usedJSHeapSize, document.querySelectorAll('*').length]);
      heap = Math.max(heap, seen[0]);
      nodes = Math.max(nodes, seen[1]);
      await new Promise(resolve => setTimeout(resolve, 250));
      return (await place.api(`/runs/${id}`)).completed_at;
    }, seconds * 1000 + 240_000);
    const {last} = await place.api(`/runs/${id}/events?limit=1`);
    await page.getByText('the very end').first().waitFor({timeout: 120_000});
    const shown = page.locator('.run-aside .pairs div').filter({hasText: /^events/}).locator('dd');
    await eventually('the page has the last event', async () => Number((await shown.innerText()).replaceAll(',', '')) === last, 60_000)
      .catch(async () => fail(`the page has ${await shown.innerText()} events, the log ${last}`));
    await page.locator('.run-head .state-name').getByText('completed').waitFor({timeout: 60_000});
    // The processor's time of the page's thread, which says the same on a busy machine.
    const busy = (await worked()) - begun;
    const share = Math.round((100 * busy) / Math.max(seconds, (Date.now() - begunAt) / 1000));
    const waits = await page.evaluate(() => window.waits.sort((a, b) => a - b));
    const at = part => Math.round(waits[Math.floor(waits.length * part)] ?? 0);
    console.log(`${last} events in ${seconds} s: heap at most ${Math.round(heap / 1e6)} MB, ${nodes} nodes, its thread at work ${share} % of the time, a turn of the page takes ${at(0.5)} ms (95 %: ${at(0.95)} ms, longest ${at(0.9999)} ms)`);
    if (heap > largestHeap) fail(`the heap grew to ${heap} bytes`);
    if (busy > seconds * 0.8) fail(`the page's thread was at work for ${busy.toFixed(1)} s of ${seconds} s`);
    if (nodes > 5000) fail(`${nodes} nodes are in the page`);
    if (last < seconds * 9000) fail(`only ${last} events`);
  });
}

try {
  await place.serve();
  await runAll({flood});
} finally {
  await browser.close();
  await place.close();
}
