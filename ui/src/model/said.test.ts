// SPDX-License-Identifier: Apache-2.0
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, it} from 'vitest';
import type {CanonicalEvent} from './event';
import {SaidMessage} from './said';
import {Story} from './story';

const origin = {dialect: 'claude', stream: 'stdout', offset: 0, length: 1, line: 1, channel: 'assistant_text'};
const text = (words: string, block = 0) => ({kind: 'text', data: {text: words, block}, origin}) as unknown as CanonicalEvent;
const marker = {kind: 'status', data: {message: 'x'}, origin: {...origin, dialect: 'wxcode', via: 'claude'}} as unknown as CanonicalEvent;

function said(...events: CanonicalEvent[]): SaidMessage {
  const message = new SaidMessage();
  for (const event of events) message.add(event);
  return message;
}

it('knows a message again, with its markers', () => {
  const message = said(text('One.\n\n'), marker, text('\nTwo.'));
  expect(message.is('One.\n\n<!-- WXCODE:STATUS:{} -->\nTwo.')).toBe(true);
  expect(message.is('One.\n\n<!-- WXCODE:STATUS:{} -->\nTwo. And more.')).toBe(false);
  expect(message.is('Something before. One.\nTwo.')).toBe(false);
  expect(said(text('One.'), text(' Two.')).is('One. Two.')).toBe(true);
  expect(said(text('One.'), text(' Two.')).is('One. Other. Two.')).toBe(false);
  expect(said(text('One.'), text('Two,', 1), marker, text('three.', 1)).is('Two, [PROGRESS] x three.')).toBe(true);
});

it('begins again after a tool', () => {
  const tool = {kind: 'tool_started', data: {id: 't'}, origin} as unknown as CanonicalEvent;
  expect(said(text('Before.'), tool, text('After.')).is('After.')).toBe(true);
  expect(said(text('Before.'), tool).is('')).toBe(false);
});

it('leaves a message with markers out of the end of its turn', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../tests/golden/claude/001_recorded_wxcode/events.jsonl'), 'utf8').split('\n').filter(Boolean);
  const story = new Story();
  lines.forEach((line, i) => story.add(JSON.parse(line) as CanonicalEvent, i + 1));
  const ends = story.root.blocks.flatMap(b => (b.type === 'card' && b.event.kind === 'turn_finished' ? [b.event.data.text] : []));
  expect(ends).toEqual([undefined]);
});
