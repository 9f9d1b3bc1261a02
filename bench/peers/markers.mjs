// SPDX-License-Identifier: Apache-2.0
// What the marker protocol's TypeScript parser does: split into lines, trim each, look at its start.
//
// markers.mjs FILE            counts, for the benchmark
// markers.mjs --events FILE   FILE holds documents separated by NUL; one JSON line per event
import { readFileSync } from 'node:fs';

function parse(output) {
  const events = [];
  const lines = output.split('\n');

  for (let i = 0; i < lines.length; i++) {
    const line = lines[i].trim();

    if (line.startsWith('[PROGRESS]')) {
      events.push({ type: 'progress', data: line.slice(10).trim() });
    } else if (line.startsWith('[QUESTION]')) {
      const options = [];
      while (i + 1 < lines.length) {
        const next = lines[i + 1].trim();
        if (!next.match(/^\d+\./) && next !== 'Options:') break;
        options.push(next);
        i++;
      }
      events.push({ type: 'question', data: { question: line.slice(10).trim(), options } });
    } else if (line.startsWith('[BLOCKED]')) {
      const context = [];
      while (i + 1 < lines.length) {
        const next = lines[i + 1].trim();
        if (!next || next.startsWith('[')) break;
        context.push(next);
        i++;
      }
      events.push({ type: 'blocked', data: { reason: line.slice(9).trim(), context } });
    } else if (line.startsWith('[FILES_MODIFIED]')) {
      const files = [];
      while (i + 1 < lines.length) {
        const next = lines[i + 1].trim();
        if (!next.startsWith('-')) break;
        files.push(next.slice(1).trim());
        i++;
      }
      events.push({ type: 'files_modified', data: files });
    } else if (line.startsWith('[CODEX_COMPLETE]')) {
      events.push({ type: 'completed', data: true });
    }
  }
  return events;
}

const [mode, path] = process.argv.slice(2);
if (mode === '--events') {
  const documents = readFileSync(path, 'utf8').split('\0');
  const lines = documents.flatMap((document, doc) =>
    parse(document).map((event) => JSON.stringify({ doc, ...event })));
  process.stdout.write(lines.join('\n') + '\n');
} else {
  console.log(parse(readFileSync(mode, 'utf8')).length);
}
