// SPDX-License-Identifier: Apache-2.0
// What a question is called. Agents that give no header of their own get the first characters of the
// question for one; that is a name for nothing, and the question itself says more.

import type {Grant, Option, Payloads, Wants} from './event';

// The header, where it says something that the question does not begin with.
export function ownHeader(header: string | undefined, text: string | undefined): string {
  const name = (header ?? '').trim();
  const bare = name.replace(/(?:…|\.{3})$/, '').trimEnd();
  return (text ?? '').trimStart().toLowerCase().startsWith(bare.toLowerCase()) ? '' : name;
}

// The question without the command that stands beside it: "Allow Bash?".
export function sentenceOf(text: string, wants: Wants | undefined): string {
  return wants?.command && text === `Allow ${wants.tool ?? ''}: ${wants.command}?` ? `Allow ${wants.tool ?? ''}?` : text;
}

// Of an older recording, in which options do not say what they grant.
const oldGrants: Record<string, Grant> = {Allow: 'allow_once', Deny: 'deny'};

// How a permission was decided, and of a denial the reason; null: it is another question, or open.
export function decided(data: Payloads['question']): {grant: Grant; reason: string} | null {
  if (data.state !== 'answered') return null;
  const answer = data.answer ?? '';
  const labelled = data.options.some(option => option.label === answer);
  const old = data.source === 'permission' && answer !== '' && data.options.map(option => option.label).join() === 'Allow,Deny';
  const grant = data.decision ?? (old ? (oldGrants[answer] ?? 'deny') : null);
  return grant && {grant, reason: grant === 'deny' && !labelled ? answer : ''};
}

const grantWords: Record<Grant, string> = {
  allow_once: 'allowed', allow_session: 'allowed for this session', allow_always: 'always allowed', deny: 'denied',
};

export function decisionWords(grant: Grant, reason = ''): string {
  return reason ? `${grantWords[grant]}: ${reason}` : grantWords[grant];
}

// The number of the option that a key means: digits, and y and n where they can be meant.
export function optionOfKey(key: string, options: readonly Option[]): number {
  const number = Number(key);
  if (number >= 1 && number <= options.length) return number;
  const letter = key.toLowerCase();
  if (letter !== 'y' && letter !== 'n') return 0;
  const permission = options.some(option => option.grants !== undefined);
  const means = (option: Option) => (permission ? option.grants === (letter === 'y' ? 'allow_once' : 'deny')
    : option.label.toLowerCase() === (letter === 'y' ? 'yes' : 'no'));
  const both = permission || ['yes', 'no'].every(word => options.some(option => option.label.toLowerCase() === word));
  const guess = letter === 'y' && options.filter(means).length > 1; // one of two that allow is no answer
  return both && !guess ? options.findIndex(means) + 1 : 0;
}

// A line for notices and voices, which no style sheet cuts.
export function askedWords(header: string | undefined, text: string | undefined, most = 80): string {
  const line = (text || header || 'A question').replace(/\s+/g, ' ').trim();
  const signs = Array.from(line);
  return signs.length <= most ? line : `${signs.slice(0, most - 1).join('').trimEnd()}…`;
}
