// SPDX-License-Identifier: Apache-2.0
// WXCODE agents write each marker a second time, as a line for people who see no marker. That line
// is left out where it says word for word what the page has just shown (show/echo.cpp).
import type {CanonicalEvent} from './event';

function linesOf(event: CanonicalEvent): string[] {
  if (event.origin.dialect !== 'wxcode') return [];
  switch (event.kind) {
    case 'command_started':
      return [`## ${event.data.title ?? ''}`];
    case 'tool_started': {
      const verb = {Read: 'Reading', Write: 'Writing', Edit: 'Editing'}[event.data.tool ?? ''];
      return [verb ? `**${verb}:** \`${event.data.file ?? ''}\`` : `**Running:** ${event.data.description ?? ''}`];
    }
    case 'tool_finished': {
      const {tool, outcome, error, duration_ms} = event.data;
      if (outcome !== 'ok') return [`\u2717 ${tool ?? ''}: ${error ?? ''}`];
      return [duration_ms === undefined ? `\u2713 ${tool ?? ''}` : `\u2713 ${tool ?? ''} (${duration_ms}ms)`];
    }
    case 'status': {
      const message = event.data.message ?? '';
      const signs: Record<string, string> = {completed: '\u2705 ', failed: '\u274C ', paused: '\u23F8 ', pending: ''};
      const sign = signs[event.data.status ?? ''];
      return [sign === undefined ? `\u23F3 ${message}...` : sign + message];
    }
    case 'next_action': {
      const {command, args, description} = event.data;
      return [`**Next:** \`/wxcode:${command ?? ''}${args ? ' ' : ''}${args ?? ''}\` \u2014 ${description ?? ''}`];
    }
    case 'failure': {
      const lines = [`\u274C **Error:** ${event.data.message ?? ''}`];
      if (event.data.suggestion) lines.push(`\u{1F4A1} ${event.data.suggestion}`);
      return lines;
    }
    default:
      return [];
  }
}

export class EchoFilter {
  private expected: string[] = [];
  private held = '';

  // The marker whose line may follow.
  expect(event: CanonicalEvent): void {
    this.expected = linesOf(event);
  }

  // Takes the next words; gives back what may be shown now.
  pass(words: string): string {
    if (this.expected.length === 0 && this.held === '') return words;
    this.held += words;
    this.drop(false);
    return this.expected.length > 0 ? '' : this.give();
  }

  // No more words follow directly: what was held back.
  flush(): string {
    if (this.held !== '') this.drop(true);
    this.expected = [];
    return this.give();
  }

  private give(): string {
    const words = this.held;
    this.held = '';
    return words;
  }

  private drop(end: boolean): void {
    for (let expected = this.expected[0]; expected !== undefined; expected = this.expected[0]) {
      let begin = 0;
      let newline = this.held.indexOf('\n');
      while (newline >= 0 && this.held.slice(begin, newline).trim() === '') {
        begin = newline + 1;
        newline = this.held.indexOf('\n', begin);
      }
      const line = this.held.slice(begin, newline < 0 ? undefined : newline).trimEnd();
      if (newline < 0 && !end) {
        // It may still become the line that is expected.
        if (expected.startsWith(line)) return;
        this.expected = [];
      } else if (line !== '' && line === expected) {
        this.held = newline < 0 ? '' : this.held.slice(newline + 1);
        this.expected.shift();
      } else {
        this.expected = [];
      }
    }
  }
}
