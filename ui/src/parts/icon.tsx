// SPDX-License-Identifier: Apache-2.0
// Line drawings, 20 by 20, in the colour of the text.
const paths = {
  runs: 'M3 5h14M3 10h14M3 15h9',
  ask: 'M10 17.2a7.2 7.2 0 1 0-6.4-3.9L3 17l3.7-.6a7.2 7.2 0 0 0 3.3.8ZM8 8.1c.2-1 1-1.6 2.1-1.6 1.2 0 2.1.8 2.1 1.8 0 1.5-2.1 1.6-2.1 3.1M10.1 13.8v.1',
  plus: 'M10 4v12M4 10h12',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12ZM13.5 13.5 17 17',
  file: 'M5 3h6l4 4v10H5V3ZM11 3v4h4M10 15V9.5M7.7 11.6 10 9.4l2.3 2.2',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M15.7 4.3l-1.1 1.1M5.4 14.6l-1.1 1.1',
  moon: 'M16.5 11.6A6.8 6.8 0 0 1 8.4 3.5a6.8 6.8 0 1 0 8.1 8.1Z',
  system: 'M3 4h14v9.5H3V4ZM7.5 16.5h5M10 13.5v3',
  help: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM7.8 7.8c.2-1.1 1.1-1.8 2.2-1.8 1.3 0 2.3.8 2.3 2 0 1.6-2.3 1.7-2.3 3.4M10 14v.1',
  back: 'M12 4 6 10l6 6',
  right: 'm8 5 5 5-5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
  up: 'M10 16V4M5 9l5-5 5 5',
  copy: 'M7 7V3.5h9.5V13H13M3.5 7H13v9.5H3.5V7Z',
  check: 'm4 10.5 4 4 8-9',
  stop: 'M5 5h10v10H5V5Z',
  pause: 'M7 5v10M13 5v10',
  again: 'M15.8 8A6.3 6.3 0 1 0 16 12M16 4v4h-4',
  close: 'm5 5 10 10M15 5 5 15',
  play: 'M6 4v12l10-6L6 4Z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({name}: {name: IconName}) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
