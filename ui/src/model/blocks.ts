// SPDX-License-Identifier: Apache-2.0
// What a run's page is made of. Blocks change in place; `version` says that one has changed, so that
// only that one is drawn again.
import type {CanonicalEvent, Kind, Payloads} from './event';

interface Base {
  key: number;
  seq: number; // of the first event in it
  end: number; // of the newest
  at: number | null; // when, in ms since 1970
  version: number;
}

// printed: lines of a program's stdout; verbatim: its stderr, and noise between the lines of a protocol;
// said: what people say to the agent
export type Manner = 'markdown' | 'printed' | 'verbatim' | 'thinking' | 'said';

export interface TextBlock extends Base {
  type: 'text';
  manner: Manner;
  text: string;
  block: number | undefined;
  partial: boolean; // still being written
}

export interface ToolBlock extends Base {
  type: 'tool';
  call: Payloads['tool_started'] | null;
  result: Payloads['tool_finished'] | null;
  duration: number | null; // ms
  inside: Thread | null; // what its subagent did
  owner: Thread;
}

// The last of several in a row: a status replaces the one before.
export interface StatusBlock extends Base {
  type: 'status';
  data: Payloads['status'];
  count: number;
}

type NoteKind = 'diagnostic' | 'malformed' | 'quoted_marker' | 'oversize' | 'unknown' | 'session_started';

// Small print: what the reader has to report about the input.
export interface NotesBlock extends Base {
  type: 'notes';
  events: Extract<CanonicalEvent, {kind: NoteKind}>[];
  count: number;
}

export type CardKind = Exclude<Kind, 'text' | 'thinking' | 'tool_started' | 'tool_finished' | 'status' | 'usage' | NoteKind>;

export interface CardBlock extends Base {
  type: 'card';
  event: Extract<CanonicalEvent, {kind: CardKind}>;
}

export type Block = TextBlock | ToolBlock | StatusBlock | NotesBlock | CardBlock;

export interface Thread {
  blocks: Block[];
  dropped: number; // blocks that are no longer kept
  owner: ToolBlock | null; // the call whose subagent it is
}

// A bar of the timeline.
export interface Span {
  lane: string;
  label: string;
  detail: string;
  from: number;
  to: number | null; // null: still going on
  outcome: 'ok' | 'failed' | 'open' | 'wait' | 'agent';
  seq: number;
}

export interface Progress {
  status: string;
  message: string;
  percent: number | null;
}
