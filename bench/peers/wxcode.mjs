// SPDX-License-Identifier: Apache-2.0
// What the WXCODE documents' JavaScript parser does: one regular expression over the whole text.
//
// wxcode.mjs FILE            counts, for the benchmark
// wxcode.mjs --events FILE   FILE holds documents separated by NUL; one JSON line per event
import { readFileSync } from 'node:fs';

const PATTERN = /<!-- WXCODE:(\w+):(\{.*?\}) -->/g;

function parse(markdown) {
  const events = [];
  let match;
  while ((match = PATTERN.exec(markdown)) !== null) {
    try {
      events.push({ type: match[1], data: JSON.parse(match[2]), raw: match[0], index: match.index });
    } catch (error) {
      console.error('failed to parse:', match[0]);
    }
  }
  const content = markdown.replace(PATTERN, '').trim();
  return { events, content };
}

function eventLines(document, doc) {
  const { events, content } = parse(document);
  const lines = events.map(({ type, data, raw, index }) => {
    const offset = Buffer.byteLength(document.slice(0, index));
    return JSON.stringify({ doc, type, data, offset, length: Buffer.byteLength(raw) });
  });
  return [...lines, JSON.stringify({ doc, content })];
}

const [mode, path] = process.argv.slice(2);
if (mode === '--events') {
  const documents = readFileSync(path, 'utf8').split('\0');
  process.stdout.write(documents.flatMap(eventLines).join('\n') + '\n');
} else {
  const { events, content } = parse(readFileSync(mode, 'utf8'));
  console.log(events.length, content.length);
}
