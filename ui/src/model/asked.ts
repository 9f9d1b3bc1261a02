// SPDX-License-Identifier: Apache-2.0
// What a question is called. Agents that give no header of their own get the first characters of the
// question for one; that is a name for nothing, and the question itself says more.

// The header, where it says something that the question does not begin with.
export function ownHeader(header: string | undefined, text: string | undefined): string {
  const name = (header ?? '').trim();
  const bare = name.replace(/(?:…|\.{3})$/, '').trimEnd();
  return (text ?? '').trimStart().toLowerCase().startsWith(bare.toLowerCase()) ? '' : name;
}

// A line for notices and voices, which no style sheet cuts.
export function askedWords(header: string | undefined, text: string | undefined, most = 80): string {
  const line = (text || header || 'A question').replace(/\s+/g, ' ').trim();
  const signs = Array.from(line);
  return signs.length <= most ? line : `${signs.slice(0, most - 1).join('').trimEnd()}…`;
}
