// SPDX-License-Identifier: Apache-2.0
// One block of a run's page.
import {memo} from 'preact/compat';
import {useEffect, useState} from 'preact/hooks';
import type {Block, NotesBlock, StatusBlock, TextBlock} from '../model/blocks';
import {cutSpans, spansOf, unixLines} from '../model/colours';
import {headOf, neutral, neutralLine, withoutColours} from '../model/neutral';
import {clockWords, counted, spaced} from '../model/words';
import {CardView} from './card';
import {Coloured} from './coloured';
import {leadsThrough, reachOf} from './finding';
import {Markdown} from './markdown';
import {StatusLine} from './progress';
import {ToolView} from './tool';

// Output of any size, a stretch at a time; as far as something that was found in its block.
export function Output({text, label, owner}: {text: string; label: string; owner?: number}) {
  const [limit, setLimit] = useState(6_000);
  const printed = unixLines(text);
  const whole = withoutColours(printed);
  const reach = whole.length > limit && leadsThrough(owner) ? reachOf(whole) : 0;
  useEffect(() => setLimit(before => Math.max(before, reach)), [reach]);
  const {head, missing} = headOf(whole, limit);
  return (
    <div class="output">
      <pre tabIndex={0} role="group" aria-label={label} dir="auto"><Coloured spans={spansOf(printed, head.length)} /></pre>
      {missing > 0 ? (
        <button type="button" class="link-button" onClick={() => setLimit(limit + 48_000)}>
          Show more ({counted(missing, 'character')} left)
        </button>
      ) : null}
    </div>
  );
}

// A program's lines are an event each: the one that a link leads to is marked.
function Printed({block, marked}: {block: TextBlock; marked: number | null}) {
  const text = unixLines(block.text);
  const spans = spansOf(text);
  if (marked === null) return <pre class="printed" dir="auto"><Coloured spans={spans} /></pre>;
  const lines = withoutColours(text).split('\n');
  const at = Math.min(marked - block.seq, lines.length - 1);
  const line = lines[at] ?? '';
  const from = lines.slice(0, at).reduce((sum, before) => sum + before.length + 1, 0);
  return (
    <pre class="printed" dir="auto">
      <Coloured spans={cutSpans(spans, 0, from)} /><mark>{neutral(line)}</mark><Coloured spans={cutSpans(spans, from + line.length, Infinity)} />
    </pre>
  );
}

function TextView({block, marked}: {block: TextBlock; marked: number | null}) {
  if (block.manner === 'printed') return <Printed block={block} marked={marked} />;
  if (block.manner === 'verbatim') return <Output text={block.text} label="What the program printed" owner={block.key} />;
  if (block.manner === 'said') return <div class="asked" dir="auto"><p class="hidden">Said to the agent</p><p class="plain">{neutral(block.text)}</p></div>;
  if (block.manner === 'thinking') {
    return (
      <details class="thinking">
        <summary>Thinking{block.partial ? '…' : ''}</summary>
        <Markdown text={block.text} />
      </details>
    );
  }
  return (
    <div class={block.partial ? 'say partial' : 'say'}>
      <Markdown text={block.text} />
    </div>
  );
}

type Todo = {text: string; done: boolean};

function todosOf(items: unknown): Todo[] {
  if (!Array.isArray(items)) return [];
  return items.slice(0, 100).flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const {text, step, completed, status} = item as Record<string, unknown>;
    const words = typeof text === 'string' ? text : step;
    return typeof words === 'string' ? [{text: neutralLine(words), done: completed === true || status === 'completed'}] : [];
  });
}

function StatusView({block}: {block: StatusBlock}) {
  const {data, count} = block;
  const percent = data.progress ?? (data.steps && data.steps.total > 0 ? (100 * data.steps.done) / data.steps.total : null);
  const facts = [
    data.phase !== undefined ? `phase ${data.phase}` : '',
    data.plan ? `plan ${neutralLine(data.plan)}` : '',
    data.task ? neutralLine(data.task) : '',
    data.steps ? `${data.steps.done} of ${data.steps.total} steps` : '',
    count > 1 ? counted(count, 'update') : '',
  ].filter(Boolean);
  return (
    <div class="status-block">
      <StatusLine
        progress={{
          status: data.status || 'in_progress',
          message: data.message ?? '',
          percent: percent === null ? null : Math.max(0, Math.min(100, percent)),
        }}
      />
      {facts.length > 0 ? <p class="facts">{facts.map(fact => <span key={fact}>{fact}</span>)}</p> : null}
      {data.steps ? todosOf(data.items).map((todo, at) => <p key={at} class="facts">{todo.done ? '☑' : '☐'} {todo.text}</p>) : null}
    </div>
  );
}

function noteWords(event: NotesBlock['events'][number]): [label: string, words: string, raw: string] {
  switch (event.kind) {
    case 'session_started':
      return ['Session', [event.data.model, event.data.version, event.data.session_id].filter(Boolean).join(' · '), ''];
    case 'diagnostic':
      return [spaced(event.data.level ?? 'note'), event.data.message ?? '', ''];
    case 'malformed':
      return ['broken marker', [spaced(event.data.reason ?? ''), event.data.detail].filter(Boolean).join(': '), event.data.raw ?? ''];
    case 'quoted_marker':
      return ['marker in quoted text, not obeyed', spaced(event.data.reason ?? ''), event.data.raw ?? ''];
    case 'oversize':
      return ['line too long', counted(event.data.bytes ?? 0, 'byte'), `${event.data.head ?? ''}\n…\n${event.data.tail ?? ''}`];
    case 'unknown':
      return ['unknown', event.data.type ?? '', JSON.stringify(event.data.raw ?? null, null, 2)];
  }
}

function NotesView({block}: {block: NotesBlock}) {
  const [first] = block.events;
  if (!first) return null;
  const [label, words, raw] = noteWords(first);
  if (block.count === 1 && raw === '') {
    return <p class="quiet"><span class="quiet-label">{label}</span> <span dir="auto">{neutralLine(words)}</span></p>;
  }
  return (
    <details class="quiet">
      <summary>
        {block.count > 1 ? counted(block.count, 'note') : <><span class="quiet-label">{label}</span> {neutralLine(words).slice(0, 120)}</>}
      </summary>
      <ul>
        {block.events.map((event, i) => {
          const [kind, text, source] = noteWords(event);
          return (
            <li key={i}>
              <span class="quiet-label">{kind}</span> <span dir="auto">{neutralLine(text)}</span>
              {source ? <pre tabIndex={0} role="group" aria-label="As it came">{neutral(headOf(source, 2000).head)}</pre> : null}
            </li>
          );
        })}
        {block.count > block.events.length ? <li>and {block.count - block.events.length} more</li> : null}
      </ul>
    </details>
  );
}

export interface BlockContext {
  runId: string | null; // null: a capture that is only looked at
  over: boolean;
  rawLink: (seq: number) => string | null;
}

function Body({block, context, marked}: {block: Block; context: BlockContext; marked: number | null}) {
  switch (block.type) {
    case 'text':
      return <TextView block={block} marked={marked} />;
    case 'tool':
      return <ToolView block={block} version={block.version} context={context} />;
    case 'status':
      return <StatusView block={block} />;
    case 'notes':
      return <NotesView block={block} />;
    case 'card':
      return <CardView event={block.event} context={context} />;
  }
}

// Drawn again when its version changes, and not before.
export const BlockView = memo(
  function BlockView({block, context, marked}: {block: Block; version: number; context: BlockContext; marked: number | null}) {
    const raw = context.rawLink(block.seq);
    return (
      <div class={marked === null ? 'block' : 'block marked'} data-key={block.key} data-seq={block.seq} data-type={block.type}>
        <Body block={block} context={context} marked={marked} />
        {raw ? (
          <a class="block-link" data-go="" href={raw} aria-label={`Event ${block.seq} in the raw view`} title={`event ${block.seq}${block.at ? `, ${clockWords(block.at)}` : ''}`}>
            #{block.seq}
          </a>
        ) : null}
      </div>
    );
  },
  (a, b) => a.block === b.block && a.version === b.version && a.context === b.context && a.marked === b.marked,
);
