// SPDX-License-Identifier: Apache-2.0
// The column beside the conversation: verdict, money, files, tests, where it runs.
import {type RunDetail, isOver} from '../api';
import {neutralLine} from '../model/neutral';
import type {Story} from '../model/story';
import {grown, joined} from '../model/usage';
import {costWords, countWords, counted, momentWords, reasonWords} from '../model/words';
import {Verdict} from './card';
import {CopyButton} from './copy';
import {FileList, TestBar} from './reports';
import {UsageChart} from './usage_chart';

const farAway = 100; // events after which the first one is no longer near

export interface Totals {
  input: number | null;
  output: number | null;
  cached: number | null;
  cost: number | null;
}

export function totalsOf(story: Story, detail: RunDetail | null): Totals {
  const own = story.usage.total();
  const given = detail?.usage;
  const any = story.usage.points.length > 0;
  const live = detail !== null && !isOver(detail.state); // the server's figures are as old as its answer
  const known = (theirs: number | null | undefined, ours: number) => (theirs == null ? (any ? ours : null) : live ? Math.max(theirs, ours) : theirs);
  return {
    input: known(given?.input_tokens, own.input),
    output: known(given?.output_tokens, own.output),
    cached: known(given?.cache_read_tokens, own.cached) || null,
    cost: given?.cost_usd ?? detail?.cost_usd ?? own.cost,
  };
}

function Pairs({pairs}: {pairs: [string, string | number | null | undefined][]}) {
  const said = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (said.length === 0) return null;
  return <dl class="pairs">{said.map(([name, value]) => <div key={name}><dt>{name}</dt><dd dir="auto">{neutralLine(String(value))}{name === 'run' || name === 'session' ? <CopyButton text={String(value)} label={`Copy the id of the ${name}`} /> : null}</dd></div>)}</dl>;
}

export function UsagePart({story, detail}: {story: Story; detail: RunDetail | null}) {
  const totals = totalsOf(story, detail);
  const number = (value: number | null) => (value === null ? null : countWords(value));
  if (totals.input === null && totals.output === null && totals.cost === null) return null;
  const whole = (detail?.usage?.curve ?? []).map(({seq, at, input_tokens, output_tokens, cost_usd}) => ({seq, at, input: input_tokens, output: output_tokens, cost: cost_usd}));
  return (
    <section class="part" aria-labelledby="usage-title">
      <h2 id="usage-title">Tokens and cost</h2>
      <UsageChart points={grown(joined(story.usage.points, whole), totals.input, totals.output)} />
      <Pairs pairs={[['input', number(totals.input)], ['output', number(totals.output)], ['from cache', number(totals.cached)], ['cost', totals.cost === null ? null : costWords(totals.cost)]]} />
    </section>
  );
}

function whyOf(story: Story, detail: RunDetail | null): string | null {
  if (!detail?.reason) return null;
  return detail.reason === 'blocked' && story.blocked ? `blocked: ${story.blocked}` : reasonWords(detail.reason);
}

interface Judged {
  state: string;
  reasons: string[];
}

// `beginning`: the address of the first event, where it may be far away. `judged`: the verdict on a recording.
export function FactsColumn({story, detail, link, beginning, judged}: {story: Story; detail: RunDetail | null; link: (view: string) => string; beginning: string; judged?: Judged | null}) {
  const ended = detail?.state === 'queued' ? null : story.finished; // what waits for its next turn has ended the one before
  const verdict = detail?.verdict ?? (ended ? {state: ended.verdict ?? 'unknown', reasons: ended.reasons} : judged);
  const files = [...story.files.values()];
  const tests = story.tests[story.tests.length - 1];
  return (
    <div class="facts-column">
      {verdict ? <section class="part"><Verdict verdict={verdict.state} reasons={verdict.reasons} /></section> : null}
      <UsagePart story={story} detail={detail} />
      {tests ? (
        <section class="part" aria-labelledby="tests-title">
          <h2 id="tests-title"><a data-go="" href={link('changes')}>Tests</a></h2>
          <TestBar passed={tests.data.passed ?? 0} failed={tests.data.failed ?? 0} skipped={tests.data.skipped ?? 0} />
          <p class="note">{tests.data.passed ?? 0} passed, {tests.data.failed ?? 0} failed{tests.data.skipped ? `, ${tests.data.skipped} skipped` : ''}</p>
        </section>
      ) : null}
      {files.length > 0 ? (
        <section class="part" aria-labelledby="files-title">
          <h2 id="files-title"><a data-go="" href={link('changes')}>{counted(files.length, 'file')} changed</a></h2>
          <FileList files={files.slice(-6)} limit={6} />
        </section>
      ) : null}
      <section class="part" aria-labelledby="about-title">
        <h2 id="about-title">About</h2>
        <Pairs
          pairs={[
            ['agent', detail?.agent], ['command', detail && !detail.text && detail.title !== detail.id ? detail.title : null], ['model', detail?.model || story.session?.model], ['directory', detail?.working_dir || story.session?.cwd],
            ['mode', detail?.mode], ['permissions', detail?.permission_mode], ['session', detail?.thread_id || story.session?.session_id],
            ['created', detail ? momentWords(detail.created_at) : null], ['ended', detail?.completed_at ? momentWords(detail.completed_at) : null],
            ['exit code', detail?.exit_code], ['signal', detail?.signal], ['reason', whyOf(story, detail)],
            ['events', countWords(story.lastSeq)], ['tools', countWords(story.toolCount)], ['run', detail?.id],
          ]}
        />
        {story.lastSeq > farAway ? <p><a data-go="" href={beginning}>To the first event</a></p> : null}
      </section>
    </div>
  );
}
