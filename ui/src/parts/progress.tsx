// SPDX-License-Identifier: Apache-2.0
import type {Progress} from '../model/blocks';
import {neutralLine} from '../model/neutral';
import {spaced} from '../model/words';

const known = ['pending', 'in_progress', 'completed', 'failed', 'paused'];

export function statusClass(status: string): string {
  return `wxcode-status wxcode-status-${known.includes(status) ? status : 'other'}`;
}

export function Bar({percent, label}: {percent: number; label: string}) {
  const value = Math.round(percent);
  return (
    <div class="bar" role="progressbar" aria-label={label} aria-valuenow={value} aria-valuemin={0} aria-valuemax={100}>
      <div style={{width: `${percent}%`}} />
    </div>
  );
}

export function StatusLine({progress}: {progress: Progress}) {
  const words = neutralLine(progress.message) || spaced(neutralLine(progress.status));
  const value = progress.percent === null ? '' : `${Math.round(progress.percent)} %`;
  return (
    <div class={statusClass(progress.status)} role="group" aria-label={`Status: ${spaced(neutralLine(progress.status))}`}>
      <span class="dot" aria-hidden="true" />
      <span class="message" dir="auto">{words}</span>
      {value ? <span class="percent">{value}</span> : null}
      {progress.percent === null ? null : <Bar percent={progress.percent} label={`Progress: ${words}`} />}
    </div>
  );
}
