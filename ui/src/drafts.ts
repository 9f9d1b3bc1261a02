// SPDX-License-Identifier: Apache-2.0
// Answers that were begun and not sent: they are still there after a look at something else. They
// live as long as the page; the words of a secret are not among them.

export interface Draft {
  chosen: number[];
  text: string;
}

const drafts = new Map<string, Draft>();

export function draftOf(key: string): Draft {
  return drafts.get(key) ?? {chosen: [], text: ''};
}

export function keepDraft(key: string, draft: Draft): void {
  if (draft.chosen.length === 0 && draft.text === '') drafts.delete(key);
  else drafts.set(key, draft);
}

// Of questions that nobody asks any more.
export function dropDrafts(open: Set<string>): void {
  for (const key of [...drafts.keys()]) if (!open.has(key)) drafts.delete(key);
}

// Messages that were begun and not sent, by their run.
const messages = new Map<string, string>();

export function messageBegun(run: string): string {
  return messages.get(run) ?? '';
}

export function keepMessage(run: string, text: string): void {
  if (text === '') messages.delete(run);
  else messages.set(run, text);
}
