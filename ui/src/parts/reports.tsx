// SPDX-License-Identifier: Apache-2.0
// Files, tests and lint findings as lists, in the conversation and on the page of changes.
import {useState} from 'preact/hooks';
import type {FileChange, LintItem, Payloads} from '../model/event';
import {neutralLine} from '../model/neutral';
import {counted, durationWords} from '../model/words';

const actionSigns = {created: '+', modified: '±', deleted: '−', renamed: '→', unknown: '·'} as const;

function useLimit(count: number, limit: number): [shown: number, more: preact.JSX.Element | null] {
  const [all, setAll] = useState(false);
  const shown = all ? Math.min(count, 2000) : Math.min(count, limit);
  const more = shown < count && !all ? <button type="button" class="link-button" onClick={() => setAll(true)}>Show all {count}</button> : null;
  return [shown, more];
}

export function FileList({files, limit}: {files: FileChange[]; limit: number}) {
  const [shown, more] = useLimit(files.length, limit);
  return (
    <>
      <ul class="files">
        {files.slice(0, shown).map((file, i) => {
          const path = neutralLine(file.path);
          const slash = path.lastIndexOf('/') + 1;
          return (
            <li key={i} class={`file-${file.action}`}>
              <span class="sign" role="img" aria-label={file.action}>{actionSigns[file.action] ?? '·'}</span>
              <span class="path" title={path}><span class="dir">{path.slice(0, slash)}</span>{path.slice(slash)}</span>
              {file.from ? <span class="note">from {neutralLine(file.from)}</span> : null}
              {file.note ? <span class="note">{neutralLine(file.note)}</span> : null}
            </li>
          );
        })}
      </ul>
      {more}
    </>
  );
}

export function TestBar({passed, failed, skipped}: {passed: number; failed: number; skipped: number}) {
  const total = passed + failed + skipped;
  if (!(total > 0)) return null;
  const part = (count: number) => ({width: `${(100 * count) / total}%`});
  return (
    <div class="test-bar" role="img" aria-label={`${passed} passed, ${failed} failed, ${skipped} skipped`}>
      <span class="passed" style={part(passed)} /><span class="failed" style={part(failed)} /><span class="skipped" style={part(skipped)} />
    </div>
  );
}

export function TestReport({data, limit}: {data: Payloads['test_results']; limit: number}) {
  const {passed = 0, failed = 0, skipped = 0, tests} = data;
  const sorted = [...tests].sort((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
  const [shown, more] = useLimit(sorted.length, limit);
  const signs: Record<string, string> = {passed: '✓', failed: '✗'};
  return (
    <div class="tests">
      <p class="facts">
        <span>{counted(passed, 'test')} passed</span>
        {failed > 0 ? <span class="bad">{failed} failed</span> : null}
        {skipped > 0 ? <span>{skipped} skipped</span> : null}
        {data.framework ? <span>{neutralLine(data.framework)}</span> : null}
        {data.duration_s !== undefined ? <span>{durationWords(data.duration_s * 1000)}</span> : null}
      </p>
      <TestBar passed={passed} failed={failed} skipped={skipped} />
      {shown > 0 ? (
        <ul class="test-list">
          {sorted.slice(0, shown).map((test, i) => (
            <li key={i} class={`test-${test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped'}`}>
              <span class="sign" role="img" aria-label={neutralLine(test.status ?? 'unknown')}>{signs[test.status ?? ''] ?? '–'}</span>
              <span>{neutralLine(test.name)}</span>
              {test.note ? <span class="note">{neutralLine(test.note)}</span> : null}
            </li>
          ))}
        </ul>
      ) : null}
      {more}
    </div>
  );
}

export function LintList({items, limit}: {items: LintItem[]; limit: number}) {
  const [shown, more] = useLimit(items.length, limit);
  return (
    <>
      <ul class="lint">
        {items.slice(0, shown).map((item, i) => (
          <li key={i}>
            <code>{neutralLine(`${item.file ?? ''}${item.line !== undefined ? `:${item.line}` : ''}${item.column !== undefined ? `:${item.column}` : ''}`)}</code>{' '}
            <span dir="auto">{neutralLine(item.message ?? '')}</span>{' '}
            <span class="note">{neutralLine([item.severity, item.rule].filter(Boolean).join(', '))}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
}
