// SPDX-License-Identifier: Apache-2.0
// A stream of server-sent events that goes on where it broke off. Read with fetch instead of
// EventSource: messages come in batches, the reader sets the pace, and a refusal is told apart from
// a lost connection.

export interface Message {
  id: string;
  event: string;
  data: string;
}

// Cuts a stream into messages. Chunks may end anywhere.
export class MessageParser {
  private rest = '';
  private id = '';
  private event = '';
  private data = '';
  private any = false;

  push(chunk: string): Message[] {
    const messages: Message[] = [];
    const text = this.rest + chunk;
    let at = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      this.line(text.slice(at, text.charCodeAt(end - 1) === 13 ? end - 1 : end), messages);
      at = end + 1;
    }
    this.rest = text.slice(at);
    return messages;
  }

  private line(line: string, messages: Message[]): void {
    if (line === '') {
      if (this.any) messages.push({id: this.id, event: this.event || 'message', data: this.data});
      this.id = '';
      this.event = '';
      this.data = '';
      this.any = false;
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const from = colon + (line.charCodeAt(colon + 1) === 32 ? 2 : 1);
    const value = colon < 0 ? '' : line.slice(from);
    if (field === 'data') {
      this.data = this.any ? `${this.data}\n${value}` : value;
      this.any = true;
    } else if (field === 'event') {
      this.event = value;
    } else if (field === 'id') {
      this.id = value;
    }
  }
}

export type Link = 'connecting' | 'live' | 'lost' | 'denied';

export interface StreamHandlers {
  url: () => string; // asked at every attempt
  lastId: () => string; // of what has been taken; empty: from the start
  take: (messages: Message[]) => void | Promise<void>; // the next batch waits for it
  link: (link: Link) => void;
}

const longestWait = 15_000;
const silence = 60_000; // the server says something every 15 s

// Those that wait before they try again. One that has found the server tells the others.
const waiting = new Set<EventStream>();

// Somebody looks, or the network is back: try at once.
export function hurryAll(): void {
  for (const stream of [...waiting]) stream.hurry();
}

export class EventStream {
  private abort: AbortController | null = null;
  private stopped = true;
  private turn = 0; // a loop that was stopped does not live again with the next one
  private failures = 0;
  private wake: (() => void) | null = null;

  constructor(private readonly handlers: StreamHandlers) {}

  start(): void {
    if (!this.stopped) return;
    this.stopped = false;
    this.turn += 1;
    void this.loop(this.turn);
  }

  stop(): void {
    this.stopped = true;
    this.abort?.abort();
    this.wake?.();
  }

  hurry(): void {
    this.failures = 0;
    this.wake?.();
  }

  // Only one that waits for long: two that are refused in turns would wake each other without end.
  private tellOthers(): void {
    for (const stream of [...waiting]) if (stream !== this && stream.failures > 1) stream.hurry();
  }

  private async loop(turn: number): Promise<void> {
    const over = () => this.stopped || this.turn !== turn;
    while (!over()) {
      this.handlers.link(this.failures === 0 ? 'connecting' : 'lost');
      const denied = await this.attempt(over);
      if (over()) return;
      if (denied) {
        this.handlers.link('denied');
        this.stopped = true;
        return;
      }
      this.handlers.link('lost');
      this.failures += 1;
      const wait = Math.min(longestWait, 250 * 2 ** Math.min(this.failures, 7)) * (0.75 + Math.random() / 2);
      waiting.add(this);
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, wait);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      waiting.delete(this);
      this.wake = null;
    }
  }

  private async attempt(over: () => boolean): Promise<boolean> {
    const abort = new AbortController();
    this.abort = abort;
    let watch = setTimeout(() => abort.abort(), silence);
    try {
      const headers: Record<string, string> = {Accept: 'text/event-stream'};
      const lastId = this.handlers.lastId();
      if (lastId !== '') headers['Last-Event-ID'] = lastId;
      const response = await fetch(this.handlers.url(), {headers, signal: abort.signal, cache: 'no-store', credentials: 'same-origin'});
      if (over()) return false;
      if (response.status === 401 || response.status === 403) return true;
      if (!response.ok || !response.body) return false;
      this.failures = 0;
      this.handlers.link('live');
      this.tellOthers();
      const parser = new MessageParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const {done, value} = await reader.read();
        if (done || over()) return false;
        clearTimeout(watch);
        watch = setTimeout(() => abort.abort(), silence);
        const messages = parser.push(value);
        if (messages.length > 0) await this.handlers.take(messages);
        if (over()) return false;
      }
    } catch {
      return false; // lost; the next attempt goes on from the last id
    } finally {
      clearTimeout(watch);
      abort.abort();
    }
  }
}
