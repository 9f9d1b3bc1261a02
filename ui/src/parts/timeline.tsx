// SPDX-License-Identifier: Apache-2.0
// What the run spent its time on: a lane for the agent, one for each subagent, one for waiting.
import type {Span} from '../model/blocks';
import {neutralLine} from '../model/neutral';
import type {Story} from '../model/story';
import {ticks} from '../model/ticks';
import {durationWords} from '../model/words';
import {go} from '../router';
import {now} from '../store';
import {useWidth} from './width';

const leastWidth = 640; // below that it scrolls
const rowHeight = 22;
const barHeight = 12;
const maxLanes = 12;
const top = 22;

interface Row {
  lane: string;
  rows: number; // bars that overlap go below each other
  y: number;
  bars: {span: Span; row: number}[];
}

// Puts each bar into the first row of its lane that is free there.
function layOut(spans: Span[], end: number): Row[] {
  const lanes = new Map<string, {ends: number[]; bars: {span: Span; row: number}[]}>();
  for (const span of spans) {
    let lane = lanes.get(span.lane);
    if (!lane) {
      if (lanes.size >= maxLanes) continue;
      lanes.set(span.lane, (lane = {ends: [], bars: []}));
    }
    let row = lane.ends.findIndex(free => free <= span.from);
    if (row < 0) row = Math.min(lane.ends.length, 7);
    lane.ends[row] = span.to ?? end;
    lane.bars.push({span, row});
  }
  const waiting = [...lanes].sort((a, b) => Number(a[0] === 'waiting') - Number(b[0] === 'waiting'));
  let y = top;
  return waiting.map(([lane, {ends, bars}]) => {
    const made = {lane, rows: Math.max(1, ends.length), y, bars};
    y += made.rows * rowHeight + 20;
    return made;
  });
}

const outcomes: Record<Span['outcome'], string> = {ok: 'ok', failed: 'failed', open: 'not finished', wait: 'waiting', agent: 'subagent'};

// A bar leads to its tool; who has no mouse follows the links of the table.
function Bars({row, x, width, path}: {row: Row; x: (at: number) => number; width: number; path: (seq: number) => string}) {
  return (
    <g>
      <text class="lane-name" x="0" y={row.y + 10}>{neutralLine(row.lane).slice(0, 60)}</text>
      {row.bars.map(({span, row: at}, i) => {
        const from = x(span.from);
        const length = Math.max(3, (span.to === null ? width : x(span.to)) - from);
        return (
          <rect key={i} class={`bar-${span.outcome}`} x={from} y={row.y + 16 + at * rowHeight} width={length} height={barHeight} rx="3" onClick={() => go(path(span.seq))}>
            <title>{`${neutralLine(span.label)} ${neutralLine(span.detail).slice(0, 200)} (${outcomes[span.outcome]})`}</title>
          </rect>
        );
      })}
    </g>
  );
}

// Drawn again when the story's `version` changes.
export function Timeline({story, live, path}: {story: Story; version: number; live: boolean; path: (seq: number) => string}) {
  const {spans, timed} = story;
  const [box, room] = useWidth<HTMLDivElement>(1000);
  const width = Math.max(leastWidth, room);
  if (spans.length === 0 || story.begun === null) return <p class="empty">No tools, no questions: nothing to draw{live ? ' yet' : ''}.</p>;
  const begin = Math.min(story.begun, spans[0]?.from ?? story.begun);
  const end = Math.max(begin + 1, live && timed ? now.value : (story.ended ?? begin));
  const length = end - begin;
  const x = (at: number) => ((at - begin) / length) * width;
  const shown = spans.length > 500 ? [...spans].sort((a, b) => (b.to ?? end) - b.from - ((a.to ?? end) - a.from)).slice(0, 500).sort((a, b) => a.from - b.from) : spans;
  const rows = layOut(shown, end);
  const last = rows[rows.length - 1];
  const height = last ? last.y + last.rows * rowHeight + 24 : 40;
  const say = (at: number) => (at === 0 && timed ? '0' : timed ? durationWords(at) : `#${Math.round(begin + at)}`);
  return (
    <figure class="timeline">
      <div ref={box} class="table" tabIndex={0} role="group" aria-label="Timeline, scrollable">
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Timeline: ${timed ? durationWords(length) : `${spans.length} steps`}, ${spans.length} bars in ${rows.length} lanes`}>
          {ticks(length, timed).map(at => (
            <g key={at}>
              <line class="grid" x1={x(begin + at)} x2={x(begin + at)} y1={14} y2={height} />
              {x(begin + at) < width - 50 ? <text class="axis" x={x(begin + at) + 3} y={10}>{say(at)}</text> : null}
            </g>
          ))}
          {rows.map(row => <Bars key={row.lane} row={row} x={x} width={width} path={path} />)}
        </svg>
      </div>
      <figcaption>
        <ul class="legend">
          {(['ok', 'failed', 'open', 'agent', 'wait'] as const).filter(o => spans.some(s => s.outcome === o)).map(o => (
            <li key={o}><span class={`swatch swatch-${o}`} aria-hidden="true" />{outcomes[o]}</li>
          ))}
        </ul>
        {timed ? null : <p class="note">The events carry no times: the order is right, the lengths are not.</p>}
        {shown.length < spans.length ? <p class="note">The {shown.length} longest of {spans.length} are drawn.</p> : null}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <div class="table" tabIndex={0} role="group" aria-label="Timeline as a table">
          <table>
            <thead><tr><th scope="col">Lane</th><th scope="col">What</th><th scope="col">Detail</th><th scope="col" class="right">Took</th><th scope="col">Outcome</th></tr></thead>
            <tbody>
              {shown.slice(-200).map((span, i) => (
                <tr key={i}><td>{neutralLine(span.lane)}</td><td><a data-go="" href={path(span.seq)}>{neutralLine(span.label)}</a></td><td>{neutralLine(span.detail).slice(0, 120)}</td>
                  <td class="right">{timed && span.to !== null ? durationWords(span.to - span.from) : '–'}</td><td>{outcomes[span.outcome]}</td></tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
