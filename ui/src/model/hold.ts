// SPDX-License-Identifier: Apache-2.0
// Tells a reader who moves up from the end of the page, which the page follows, from a page that was
// moved by itself.
export class Hold {
  private y = 0; // where the window was last
  private holds = false; // the page follows, and was put to its end

  // The window is at `y` now. Whether that is further up.
  moved(y: number): boolean {
    const up = y < this.y - 1;
    this.y = y;
    return up;
  }

  // Whether the reader of a page that follows has moved up, if only by a little. What moved the page
  // before it followed does not count, however late it is noticed. A page that has become shorter moves
  // by itself, and then its end is in sight: it is not `below` the window.
  letsGo(y: number, below: number): boolean {
    return this.moved(y) && this.holds && below > 1;
  }

  // The page was put to its end, which is seen at `y`.
  putToEnd(y: number): void {
    this.y = y;
    this.holds = true;
  }

  // The page does not follow.
  release(): void {
    this.holds = false;
  }
}
