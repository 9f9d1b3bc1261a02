// SPDX-License-Identifier: Apache-2.0
// Tokens and money as they grew, over time; over the run's events where these have none.
import type {UsagePoint} from '../model/usage';
import {costWords, countWords, shortCount} from '../model/words';
import {useWidth} from './width';

const mostWidth = 640;
const height = 108;
const left = 4;
const bottom = 4;
const top = 16;

function path(points: UsagePoint[], x: (i: number) => number, y: (p: UsagePoint) => number): string {
  let d = '';
  points.forEach((point, i) => {
    const to = `${x(i).toFixed(1)} ${y(point).toFixed(1)}`;
    d += i === 0 ? `M${to}` : `L${to}`;
  });
  return d;
}

export function UsageChart({points}: {points: UsagePoint[]}) {
  const [box, room] = useWidth<HTMLElement>(mostWidth);
  const width = Math.min(mostWidth, room);
  const last = points[points.length - 1];
  if (!last || points.length < 2) return null;
  const timed = points.every(p => p.at !== null);
  const when = (i: number) => (timed ? points[i]?.at : points[i]?.seq) ?? 0;
  const from = when(0);
  const to = when(points.length - 1);
  const x = (i: number) => left + ((width - left * 2) * (when(i) - from)) / Math.max(1, to - from);
  const tokens = Math.max(1, ...points.map(p => p.input + p.output));
  const money = Math.max(0, ...points.map(p => p.cost ?? 0));
  const rise = height - bottom - top;
  const y = (share: number) => top + rise * (1 - share);
  const total = path(points, x, p => y((p.input + p.output) / tokens));
  const close = `L${x(points.length - 1).toFixed(1)} ${y(0)}L${x(0).toFixed(1)} ${y(0)}Z`;
  const output = path(points, x, p => y(p.output / tokens));
  return (
    <figure ref={box} class="usage-chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img"
        aria-label={`Tokens: ${countWords(last.input)} in, ${countWords(last.output)} out${last.cost === null ? '' : `, ${costWords(last.cost)}`}`}>
        {[0, 0.5, 1].map(share => (
          <g key={share}>
            <line class="grid" x1={left} x2={width - left} y1={y(share)} y2={y(share)} />
            {share > 0 ? <text class="axis" x={left} y={y(share) - 3}>{shortCount(tokens * share)}</text> : null}
          </g>
        ))}
        <path class="area-input" d={total + close} />
        <path class="line-input" d={total} />
        <path class="line-output" d={output} />
        {money > 0 ? <path class="line-cost" d={path(points, x, p => y((p.cost ?? 0) / money))} /> : null}
      </svg>
      <figcaption>
        <ul class="legend">
          <li><span class="swatch swatch-input" aria-hidden="true" />all tokens</li>
          <li><span class="swatch swatch-output" aria-hidden="true" />output</li>
          {money > 0 ? <li><span class="swatch swatch-cost" aria-hidden="true" />cost, up to {costWords(money)}</li> : null}
        </ul>
      </figcaption>
    </figure>
  );
}
