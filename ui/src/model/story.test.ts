// SPDX-License-Identifier: Apache-2.0
import {readFileSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import type {CanonicalEvent} from './event';
import {withoutColours} from './neutral';
import {Story, titleOfCall} from './story';
import {momentWords} from './words';

const origin = {dialect: 'claude', stream: 'stdout', offset: 0, length: 1, line: 1, channel: 'assistant_text'} as const;
const event = (kind: string, data: unknown, more: object = {}) => ({kind, data, origin, ...more}) as CanonicalEvent;

function told(events: CanonicalEvent[], options = {}): Story {
  const story = new Story(options);
  events.forEach((each, i) => story.add(each, i + 1));
  return story;
}

const golden = join(import.meta.dirname, '../../../tests/golden');
function recorded(name: string): CanonicalEvent[] {
  return readFileSync(join(golden, name, 'events.jsonl'), 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
}

describe('a story', () => {
  it('puts the pieces of a text block together', () => {
    const story = told([event('text', {text: 'one ', block: 0}), event('text', {text: 'two', block: 0}), event('text', {text: 'x', block: 1})]);
    expect(story.root.blocks.map(b => b.type === 'text' && b.text)).toEqual(['one two', 'x']);
  });

  it('keeps messages to the agent apart, and forgets the verdict of the turn before', () => {
    const said = (text: string) => event('text', {text}, {origin: {...origin, channel: 'user'}});
    const story = told([event('text', {text: 'one'}), event('finished', {verdict: 'completed', reasons: []}), said('go on'), said('and **on**')]);
    expect(story.root.blocks.map(b => (b.type === 'text' ? `${b.manner}: ${b.text}` : b.type))).toEqual(['markdown: one', 'card', 'said: go on', 'said: and **on**']);
    expect(story.finished).toBeNull();
  });

  it('replaces fragments by the whole message', () => {
    const story = told([
      event('text', {text: 'Hel'}, {partial: true}), event('text', {text: 'lo'}, {partial: true}), event('text', {text: 'Hello.'}),
    ]);
    expect(story.root.blocks.map(b => b.type === 'text' && [b.text, b.partial])).toEqual([['Hello.', false]]);
  });

  it('leaves out an event that it has seen', () => {
    const story = new Story();
    story.add(event('text', {text: 'a'}), 5);
    story.add(event('text', {text: 'a'}), 5);
    expect(story.root.blocks.map(b => b.type === 'text' && b.text)).toEqual(['a']);
  });

  it('cuts a long line of a program between its colours, not inside of one', () => {
    for (let before = 0; before < 12; before += 1) {
      const line = `${'.'.repeat(before)}${'\x1b[38;5;1mx'.repeat(1_000)}\n`;
      const story = told([event('text', {text: line}, {origin: {...origin, channel: 'stdout', dialect: 'text'}})]);
      const texts = story.root.blocks.map(b => (b.type === 'text' ? b.text : ''));
      expect(texts.length).toBeGreaterThan(2);
      expect(texts.join('')).toBe(line);
      expect(texts.map(withoutColours).join('')).toBe(withoutColours(line));
    }
  });

  it('puts what a subagent did inside its tool', () => {
    const inside = {origin: {...origin, parent: 't1'}};
    const story = told([
      event('tool_started', {id: 't1', tool: 'Agent', description: 'Look around'}),
      event('tool_started', {id: 't2', tool: 'Bash', command: 'ls'}, inside),
      event('tool_finished', {id: 't2', outcome: 'ok', output: 'a'}, inside),
      event('tool_finished', {id: 't1', outcome: 'ok'}),
    ]);
    expect(story.root.blocks).toHaveLength(1);
    const agent = story.root.blocks[0];
    expect(agent?.type === 'tool' && agent.inside?.blocks.map(b => b.type === 'tool' && b.result?.output)).toEqual(['a']);
  });

  it('names a call by its command or file, else by the argument that says most', () => {
    const titles = [
      {command: 'ls', input: {pattern: 'x'}}, {input: {path: 'src', pattern: 'app.use\\('}}, {input: {query: 7, name: 'x'}}, {input: ['pattern']}, {},
    ].map(titleOfCall);
    expect(titles).toEqual(['ls', 'app.use\\(', 'x', '', '']);
  });

  it('keeps a bounded number of blocks, the newest', () => {
    const story = new Story({maxBlocks: 100});
    for (let seq = 1; seq <= 1000; seq += 1) {
      story.add(event('text', {text: `t${seq}`, block: seq}), seq);
      story.trim();
    }
    expect(story.root.blocks.length).toBeLessThanOrEqual(125);
    expect(story.root.blocks.length + story.root.dropped).toBe(1000);
    expect(story.lastSeq).toBe(1000);
    expect(story.firstSeq).toBe(story.root.blocks[0]?.seq);
  });

  it('cuts a text that does not end, and loses nothing of it', () => {
    const lines = Array.from({length: 4000}, (_, i) => `line ${i}\n\n`);
    const story = told(lines.map(text => event('text', {text, block: 0})));
    expect(story.root.blocks.length).toBeGreaterThan(2);
    expect(story.root.blocks.map(b => (b.type === 'text' ? b.text : '')).join('')).toBe(lines.join(''));
  });

  it('keeps the lines of a program as they are, until a marker says that they are Markdown', () => {
    const printed = (text: string) => event('text', {text}, {origin: {...origin, dialect: 'text', channel: 'stdout'}});
    const lines = told([printed('# a\n'), printed('b  c\n'), event('status', {status: 'in_progress', message: 'x'}, {origin: {...origin, dialect: 'markers', channel: 'stdout'}}), printed('d\n')]);
    expect(lines.root.blocks.map(b => b.type === 'text' && [b.manner, b.text])).toEqual([['printed', '# a\nb  c\n'], false, ['printed', 'd\n']]);
    const page = told([printed('# a\n'), event('status', {status: 'in_progress', message: 'x'}, {origin: {...origin, dialect: 'wxcode', channel: 'stdout'}}), printed('d\n')]);
    expect(page.root.blocks.map(b => b.type === 'text' && b.manner)).toEqual(['markdown', false, 'markdown']);
    const later = told([printed('later\n')]);
    later.prepend(page);
    expect(later.root.blocks.map(b => b.type === 'text' && b.manner)).toEqual(['markdown', false, 'markdown', 'markdown']);
  });

  it('goes on in front of what is known when an earlier stretch is read', () => {
    const times = (n: number) => ({ts: new Date(1_000_000 + n * 1000).toISOString()});
    const all = [
      event('tool_started', {id: 'a', tool: 'Bash'}, times(1)), event('test_results', {passed: 1, tests: []}, times(2)),
      event('tool_finished', {id: 'a', outcome: 'ok'}, times(3)), event('tool_started', {id: 'b', tool: 'Bash'}, times(4)), event('test_results', {passed: 2, tests: []}, times(5)),
    ];
    const later = new Story();
    all.slice(2).forEach((one, i) => later.add(one, i + 3));
    later.prepend(told(all.slice(0, 2)));
    const whole = told(all);
    const facts = (story: Story) => [story.toolCount, story.tests.map(t => t.data.passed), story.spans.map(s => [s.seq, s.from, s.to, s.outcome])];
    expect(facts(later)).toEqual(facts(whole));
  });

  it('says in the reader\'s own time until when a limit is waited for', () => {
    const story = told([event('status', {activity: 'waiting_limit', message: 'until 2026-01-01 00:00 UTC', resets_at: 1_767_225_600})]);
    expect(story.activity).toBe(`waiting for the usage limit until ${momentWords(1_767_225_600_000)}`);
    story.add(event('text', {text: 'I go on.'}));
    expect(story.activity).toBe('');
  });

  it('has the time of a limit among what it waited for', () => {
    const times = (n: number) => ({ts: new Date(n * 1000).toISOString()});
    const story = told([
      event('rate_limited', {status: 'allowed', limit: 'five_hour'}, times(1)), event('rate_limited', {status: 'rejected', limit: 'five_hour'}, times(2)),
      event('status', {activity: 'waiting_limit', message: 'x'}, times(3)), event('usage', {}, times(4)), event('tool_started', {id: 'a', tool: 'Bash'}, times(9)), event('rate_limited', {delay_ms: 500}, times(10)),
    ]);
    expect(story.spans.map(span => [span.lane, span.label, span.detail, span.from, span.to])).toEqual([
      ['waiting', 'rate limit', 'five_hour', 2_000, 9_000], ['agent', 'Bash', '', 9_000, null], ['waiting', 'rate limit', '', 10_000, null],
    ]);
  });

  it('cuts long output between lines and adds nothing to it', () => {
    const lines = Array.from({length: 4000}, (_, i) => (i % 50 === 0 ? '```sh\n' : `line ${i}\n`));
    const story = told(lines.map(text => event('text', {text}, {origin: {...origin, dialect: 'text', channel: 'stdout'}})));
    const texts = story.root.blocks.map(b => (b.type === 'text' ? b.text : ''));
    expect(texts.length).toBeGreaterThan(2);
    expect(texts.every(text => text.endsWith('\n'))).toBe(true);
    expect(texts.join('')).toBe(lines.join(''));
  });

  it('does not cut a fence at a marker that is quoted in it', () => {
    const story = told(recorded('wxcode/052_sample_session'));
    const at = story.root.blocks.findIndex(b => b.type === 'notes');
    const before = story.root.blocks[at - 1];
    expect(before?.type === 'text' && before.text.match(/^```/gm)).toHaveLength(2);
    expect(before?.type === 'text' && before.text).toContain('only an example');
  });

  it('leaves out the line that says a marker again', () => {
    const story = told(recorded('wxcode/052_sample_session'));
    const words = story.root.blocks.map(b => (b.type === 'text' ? b.text : '')).join('');
    expect(words).toContain('Phase 3 moves the session tokens');
    expect(words).not.toContain('## WXCODE');
    expect(words).not.toContain('Loading context...');
    expect(story.command?.title).toBe('WXCODE ▶ EXECUTING PHASE 3');
  });

  it('takes every recorded run', () => {
    for (const dialect of readdirSync(golden, {withFileTypes: true}).filter(d => d.isDirectory())) {
      for (const name of readdirSync(join(golden, dialect.name))) {
        const events = recorded(join(dialect.name, name));
        expect(told(events).lastSeq).toBe(events.length);
      }
    }
  });

  it('counts tokens of a message once', () => {
    const usage = (n: number, id: string) => event('usage', {input_tokens: n, output_tokens: n, scope: 'message', message_id: id});
    const story = told([usage(10, 'a'), usage(12, 'a'), usage(5, 'b')]);
    expect(story.usage.total()).toEqual({input: 17, cached: 0, output: 17, cost: null});
  });
});
