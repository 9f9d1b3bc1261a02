// SPDX-License-Identifier: Apache-2.0
// From an event to the block that shows it. Blocks overlap: tools run beside each other, and what a
// subagent does stands inside its tool.
import type {Block} from './blocks';

interface Way {
  blocks: Block[];
  sure: boolean; // the event begins or ends the innermost block
}

function within(blocks: Block[], seq: number): Way | null {
  let likely: Way | null = null;
  for (let i = blocks.length - 1; i >= 0; i -= 1) {
    const block = blocks[i];
    if (!block || seq < block.seq || seq > block.end) continue;
    const inner = block.type === 'tool' && block.inside ? within(block.inside.blocks, seq) : null;
    const sure = block.seq === seq || inner?.sure === true || block.end === seq;
    const way = {blocks: inner ? [block, ...inner.blocks] : [block], sure};
    if (sure) return way;
    likely ??= way;
  }
  return likely;
}

// The block of an event and those it stands in, the outermost first. An event that is not shown by
// itself leads to what stands before it.
export function wayTo(blocks: Block[], seq: number): Block[] {
  const found = within(blocks, seq)?.blocks;
  if (found) return found;
  const before = blocks.findLast(block => block.seq <= seq);
  return before ? [before] : [];
}
