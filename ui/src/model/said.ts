// SPDX-License-Identifier: Apache-2.0
// The message that an agent has just said, to know it again when its turn ends with the same words.
// There the markers stand among the words; here they were taken out and are events of their own.
import type {CanonicalEvent} from './event';

const maxPieces = 2_000;

export class SaidMessage {
  private pieces: (string | null)[] = []; // null: a marker stood here
  private block: number | undefined; // of the newest piece
  private last = 0; // where that block begins: a turn may end with its words alone
  private open = false; // words or markers may still follow

  add(event: CanonicalEvent): void {
    if (event.origin.parent !== undefined || event.partial === true || event.kind === 'usage') return;
    const marker = event.origin.via !== undefined;
    if (!marker && event.kind !== 'text') {
      this.open = false;
      return;
    }
    if (!this.open) this.begin();
    if (this.pieces.length >= maxPieces) return;
    if (marker || event.kind !== 'text') {
      this.pieces.push(null);
      return;
    }
    if (event.data.block !== this.block) this.last = this.pieces.findLastIndex(piece => piece !== null) + 1;
    this.block = event.data.block;
    this.pieces.push(event.data.text ?? '');
  }

  // Whether `text` is that message. Between its words there may be something only where a marker was.
  is(text: string): boolean {
    const whole = text.trim();
    if (whole === '' || this.pieces.length >= maxPieces) return false;
    return this.holds(whole, this.pieces) || this.holds(whole, this.pieces.slice(this.last));
  }

  private begin(): void {
    this.open = true;
    this.pieces = [];
    this.block = undefined;
    this.last = 0;
  }

  private holds(whole: string, pieces: (string | null)[]): boolean {
    if (!pieces.some(piece => piece?.trim())) return false;
    let at = 0;
    let gap = false;
    for (const piece of pieces) {
      const words = piece?.trim();
      gap ||= piece === null;
      if (!words) continue;
      const found = whole.indexOf(words, at);
      if (found < 0 || (!gap && whole.slice(at, found).trim() !== '')) return false;
      at = found + words.length;
      gap = false;
    }
    return gap || whole.slice(at).trim() === '';
  }
}
