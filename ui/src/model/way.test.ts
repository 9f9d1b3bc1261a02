// SPDX-License-Identifier: Apache-2.0
import {describe, expect, it} from 'vitest';
import type {CanonicalEvent} from './event';
import {Story} from './story';
import {wayTo} from './way';

const origin = {dialect: 'claude', stream: 'stdout', offset: 0, length: 1, line: 1, channel: 'assistant_text'} as const;
const event = (kind: string, data: unknown, parent?: string) => ({kind, data, origin: {...origin, parent}}) as unknown as CanonicalEvent;

// The numbers of the blocks on the way to an event.
function waysOf(events: CanonicalEvent[]): number[][] {
  const story = new Story();
  events.forEach((each, i) => story.add(each, i + 1));
  return events.map((_, i) => wayTo(story.root.blocks, i + 1).map(block => block.seq));
}

describe('the way to an event', () => {
  it('leads from a result to the call it belongs to, when tools run beside each other', () => {
    expect(waysOf([
      event('tool_started', {id: 'a', tool: 'Bash'}), event('tool_started', {id: 'b', tool: 'Bash'}),
      event('tool_finished', {id: 'a', outcome: 'ok'}), event('tool_finished', {id: 'b', outcome: 'ok'}), event('text', {text: 'done'}),
    ])).toEqual([[1], [2], [1], [2], [5]]);
  });

  it('leads into the tool whose subagent did it', () => {
    expect(waysOf([
      event('tool_started', {id: 'a', tool: 'Agent'}), event('tool_started', {id: 'b', tool: 'Agent'}),
      event('text', {text: 'of a'}, 'a'), event('tool_started', {id: 'c', tool: 'Bash'}, 'b'), event('text', {text: 'of b'}, 'b'),
      event('tool_finished', {id: 'c', outcome: 'ok'}, 'b'), event('tool_finished', {id: 'a', outcome: 'ok'}), event('tool_finished', {id: 'b', outcome: 'ok'}),
    ])).toEqual([[1], [2], [1, 3], [2, 4], [2, 5], [2, 4], [1], [2]]);
  });

  it('leads from every line of a text to its block, and from what is not shown to what stands before it', () => {
    expect(waysOf([
      event('text', {text: 'one'}), event('text', {text: 'two'}), event('text', {text: 'three'}), event('usage', {input_tokens: 1}), event('text', {text: 'four', block: 7}),
    ])).toEqual([[1], [1], [1], [1], [5]]);
    expect(wayTo([], 5)).toEqual([]);
  });
});
