// SPDX-License-Identifier: Apache-2.0
// Of questions that are asked one after the other only the last counts: the answer to an overtaken one
// is dropped, whenever it comes.
export class Turns {
  private turn = 0;

  // The number of the last one.
  get last(): number {
    return this.turn;
  }

  // Begins one; what is returned says whether it is still the last.
  begin(): () => boolean {
    this.turn += 1;
    const mine = this.turn;
    return () => mine === this.turn;
  }

  // No answer is waited for any more.
  drop(): void {
    this.turn += 1;
  }
}
