// SPDX-License-Identifier: Apache-2.0
// What the Claude document's parser does, in JavaScript: JSON per line, the session id, questions
// in the text.
//
// claude.mjs FILE            counts, for the benchmark
// claude.mjs --events FILE   FILE holds documents separated by NUL; one JSON line per event
import { readFileSync } from 'node:fs';

const QUESTION = /<!--QUESTION:(\{.*?\})-->/;

function parse(text) {
  return text.split('\n').filter((line) => line.trim()).map((line) => JSON.parse(line));
}

function detectQuestion(content) {
  for (const block of content) {
    if (block.type === 'text' && block.text.includes('<!--QUESTION:')) {
      return JSON.parse(QUESTION.exec(block.text)[1]);
    }
  }
  return null;
}

const sessionId = (events) =>
  events.find((event) => event.type === 'system' && 'session_id' in event)?.session_id ?? null;

// In the order of the stream: the questions, tool calls, tool results and results.
function* neutral(events) {
  yield { type: 'session', data: sessionId(events) };
  for (const event of events) {
    if (event.type === 'assistant' || event.type === 'user') {
      for (const block of event.message.content) {
        if (block.type === 'tool_use') {
          yield { type: 'tool_use', data: { id: block.id, name: block.name } };
        } else if (block.type === 'tool_result') {
          yield { type: 'tool_result', data: { id: block.tool_use_id, is_error: block.is_error ?? false } };
        }
      }
    }
    if (event.type === 'assistant') {
      const question = detectQuestion(event.message.content);
      if (question) yield { type: 'question', data: question.questions };
    } else if (event.type === 'result') {
      yield { type: 'result', data: { result: event.result, is_error: event.is_error } };
    }
  }
}

function count(text) {
  let lines = 0;
  let questions = 0;
  let results = 0;
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    const event = JSON.parse(line);
    lines++;
    if (event.type === 'assistant') questions += detectQuestion(event.message.content) !== null;
    else if (event.type === 'result') results++;
  }
  console.log(lines, questions, results);
}

const [mode, path] = process.argv.slice(2);
if (mode === '--events') {
  const documents = readFileSync(path, 'utf8').split('\0');
  const lines = documents.flatMap((document, doc) =>
    [...neutral(parse(document))].map((event) => JSON.stringify({ doc, ...event })));
  process.stdout.write(lines.join('\n') + '\n');
} else {
  count(readFileSync(mode, 'utf8'));
}
