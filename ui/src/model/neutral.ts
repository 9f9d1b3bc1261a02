// SPDX-License-Identifier: Apache-2.0
// Makes visible what an agent could hide with: control characters, direction overrides, invisible
// letters. The same characters as `dragoman show` (show/hidden.cpp).

// Joiners and variation selectors are left alone between the letters and emoji that need them.
const hidden = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5' +
    '\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0' +
    '\\ufff0-\\ufffb\\ufffe\\uffff\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}' +
    '\\u{e01f0}-\\u{e0fff}]' +
    '|(?<![\\p{Extended_Pictographic}\\ufe0f\\p{Emoji_Modifier}\\u0620-\\u109f\\u1780-\\u18aa\\u1b00-\\u1b7f\\ufb50-\\ufefc])[\\u200c\\u200d]' +
    '|[\\u200c\\u200d](?![\\p{Extended_Pictographic}\\u0620-\\u109f\\u1780-\\u18aa\\u1b00-\\u1b7f\\ufb50-\\ufefc])' +
    '|(?<![#*0-9\\u00a9\\u00ae\\u{2000}-\\u{3fff}\\p{Extended_Pictographic}\\p{L}\\p{S}])[\\ufe00-\\ufe0f]',
  'gu',
);

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\\u{${code.toString(16).padStart(4, '0')}}`;
}

const plain = /^[\n\t\x20-\x7e]*$/;

// Newlines and tabs stay.
export function neutral(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(hidden, shown);
}

// On one line.
export function neutralLine(text: string): string {
  return neutral(text.replace(/[\r\n\t]+/g, ' '));
}

// The words alone, as they are counted, found and put on grounds of our own (model/colours.ts draws the
// colours). Every other escape sequence is shown.
export function withoutColours(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.includes('\x1b') ? text.replace(/\x1b\[[0-9;:]*m/g, '') : text;
}

// At most `limit` characters, cut between code points, and how many are missing.
export function headOf(text: string, limit: number): {head: string; missing: number} {
  if (text.length <= limit) return {head: text, missing: 0};
  const code = text.charCodeAt(limit - 1);
  const at = code >= 0xd800 && code < 0xdc00 ? limit - 1 : limit;
  return {head: text.slice(0, at), missing: text.length - at};
}
