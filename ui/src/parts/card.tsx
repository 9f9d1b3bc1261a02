// SPDX-License-Identifier: Apache-2.0
// Events that are a card of their own: questions, errors, next actions, reports, the verdict.
import type {ComponentChildren} from 'preact';
import {decided, decisionWords, ownHeader, sentenceOf} from '../model/asked';
import type {CardBlock} from '../model/blocks';
import type {EventOf, Payloads} from '../model/event';
import {safeAddress} from '../model/markdown_inline';
import {neutral, neutralLine} from '../model/neutral';
import {counted, durationWords, momentWords, reasonWords, spaced, verdictWords} from '../model/words';
import {questions} from '../store';
import type {BlockContext} from './block';
import {CopyButton} from './copy';
import {FileList, LintList, TestReport} from './reports';
import {Wanted} from './wanted';

type Tone = 'plain' | 'good' | 'warning' | 'bad';

function Card({tone = 'plain', label, title, children}: {tone?: Tone; label: string; title?: string | undefined; children?: ComponentChildren}) {
  return (
    <div class={`card card-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <p class="card-head"><strong>{label}</strong> {title ? <span dir="auto">{neutralLine(title)}</span> : null}</p>
      {children}
    </div>
  );
}

function Facts({facts}: {facts: (string | null | undefined | false)[]}) {
  const said = facts.filter((fact): fact is string => typeof fact === 'string' && fact !== '');
  return said.length > 0 ? <p class="facts">{said.map((fact, i) => <span key={i}>{neutralLine(fact)}</span>)}</p> : null;
}

export function commandOf(action: Payloads['next_action'], dialect: string): string {
  const command = action.command ?? '';
  const sign = dialect !== 'wxcode' || command.startsWith('/') || command === '' ? '' : '/wxcode:';
  return `${sign}${command}${action.args ? ` ${action.args}` : ''}`;
}

// A suggestion: it is copied, or put into the form of a new task. It never starts by itself.
export function NextAction({action, dialect, context}: {action: Payloads['next_action']; dialect: string; context: BlockContext}) {
  const command = commandOf(action, dialect);
  const priority = ['required', 'recommended', 'optional'].includes(action.priority ?? '') ? action.priority : 'recommended';
  const start = new URLSearchParams({task: command});
  if (context.runId) start.set('from', context.runId);
  return (
    <div class={`wxcode-next-action wxcode-priority-${priority}`} role="group" aria-label={`Next action, ${priority}`}>
      <p><strong>Next</strong> <span class="chip">{priority}</span> <span dir="auto">{neutralLine(action.description ?? '')}</span></p>
      <code class="command">{neutralLine(command)}</code>
      <div class="buttons">
        <CopyButton text={command} label={`Copy ${neutralLine(command)}`} words="Copy" />
        <a class="button" data-go="" href={`/new?${start}`}>Start…</a>
      </div>
    </div>
  );
}

function AskedQuestion({event, context}: {event: EventOf<'question'>; context: BlockContext}) {
  const {data} = event;
  // While it can be answered it stands at the foot of the run, once.
  const below = data.state === 'open' && questions.value.some(q => q.id === data.id && q.run === context.runId);
  if (below) return <p class="quiet"><span class="quiet-label">asks</span> <span dir="auto">{neutralLine(data.text ?? data.header ?? '')}</span></p>;
  const answered = data.state === 'answered';
  const kind = data.kind === 'approval' ? 'Approval' : 'Question';
  const header = ownHeader(data.header, data.text);
  const decision = decided(data);
  const state = decision ? decisionWords(decision.grant) : data.state;
  const look = !answered ? '' : decision?.grant === 'deny' ? ' wxcode-question-denied' : ' wxcode-question-answered';
  return (
    <div class={`wxcode-question${look}`} role="group" aria-label={`${kind}, ${state}`}>
      <p>{header ? <span class="chip">{neutralLine(header)}</span> : null}<span class="note">{kind.toLowerCase()}, {state}</span></p>
      <p class="plain" dir="auto"><strong>{neutral(sentenceOf(data.text ?? '', data.wants))}</strong></p>
      <Wanted wants={data.wants} />
      {data.context?.map((line, i) => <p key={i} class="note" dir="auto">{neutralLine(line)}</p>)}
      {data.options.length > 0 ? (
        <ol>
          {data.options.map((option, i) => (
            <li key={i} class={answered && data.answer === option.label ? 'chosen' : undefined}>
              <strong>{neutralLine(option.label || '–')}</strong> {option.description ? <span class="note">{neutralLine(option.description)}</span> : null}
            </li>
          ))}
        </ol>
      ) : null}
      {decision ? <p class="answer" dir="auto">{neutral(decisionWords(decision.grant, decision.reason))}</p>
        : answered ? <p class="answer" dir="auto"><span class="note">Answer</span> {data.secret ? '(secret)' : neutral(data.answer ?? '')}</p> : null}
    </div>
  );
}

function Failure({event}: {event: EventOf<'failure'>}) {
  const {data} = event;
  return (
    <div class="wxcode-error" role="alert">
      <p><strong>Error</strong> {data.code ? <code>{neutralLine(data.code)}</code> : null}</p>
      {data.message ? <p class="plain" dir="auto">{neutral(data.message.slice(0, 20_000))}</p> : null}
      {data.suggestion ? <p dir="auto"><span class="note">Suggestion</span> {neutralLine(data.suggestion)}</p> : null}
      <Facts facts={[data.reason, data.recoverable === true && 'recoverable', data.recoverable === false && 'not recoverable']} />
    </div>
  );
}

export function verdictStatus(verdict: string): string {
  if (verdict === 'completed') return 'completed';
  if (verdict === 'question' || verdict === 'blocked') return 'paused';
  if (verdict === 'incomplete' || verdict === 'cancelled') return 'pending';
  return 'failed';
}

export function Verdict({verdict, reasons, facts = []}: {verdict: string; reasons: string[]; facts?: (string | null)[]}) {
  return (
    <div class={`verdict wxcode-status wxcode-status-${verdictStatus(verdict)}`} role="group" aria-label={`Verdict: ${neutralLine(verdictWords(verdict))}`}>
      <span class="dot" aria-hidden="true" />
      <strong class="message">Verdict: {neutralLine(verdictWords(verdict))}</strong>
      {reasons.length > 0 ? <ul class="reasons">{reasons.map((reason, i) => <li key={i} title={neutralLine(reason)}>{neutralLine(reasonWords(reason))}</li>)}</ul> : null}
      <Facts facts={facts} />
    </div>
  );
}

function Header({event}: {event: EventOf<'command_started'>}) {
  const {data} = event;
  const command = `${data.command ?? ''}${data.args ? ` ${data.args}` : ''}`;
  return (
    <div class="wxcode-header">
      <h2 dir="auto">{neutralLine(data.title ?? command)}</h2>
      {command ? <p><code>{neutralLine(command)}</code></p> : null}
    </div>
  );
}

function TurnFinished({event}: {event: EventOf<'turn_finished'>}) {
  const {data} = event;
  const facts = [
    data.num_turns !== undefined ? counted(data.num_turns, 'turn') : null,
    data.duration_ms !== undefined ? durationWords(data.duration_ms) : null,
    data.terminal_reason && data.terminal_reason !== 'completed' && data.terminal_reason !== data.subtype ? spaced(data.terminal_reason) : null,
  ];
  if (data.ok && !data.text) {
    return <div class="divider"><span>Turn finished</span><Facts facts={facts} /></div>;
  }
  return (
    <Card tone={data.ok ? 'good' : 'bad'} label={data.ok ? 'Turn finished' : 'Turn failed'} title={data.ok ? undefined : spaced(data.subtype ?? '')}>
      {data.text ? <p class="plain" dir="auto">{neutral(data.text.slice(0, 20_000))}</p> : null}
      <Facts facts={facts} />
    </Card>
  );
}

function RateLimit({event}: {event: EventOf<'rate_limited'>}) {
  const {data} = event;
  const overloaded = data.limit === 'overloaded'; // the service, whoever asks
  const retries = data.status === 'retrying' && ['network', 'agent_error', 'auth_required'].includes(data.limit ?? '');
  const facts = [
    overloaded ? null : data.limit, data.utilization !== undefined ? `${Math.round(data.utilization * 100)} % used` : null,
    data.attempt !== undefined ? `attempt ${data.attempt}` : null,
    data.delay_ms !== undefined ? `waits ${durationWords(data.delay_ms)}` : null,
    data.resets_at !== undefined ? `resets ${momentWords(data.resets_at * 1000)}` : null,
  ];
  if (data.status === 'allowed') return <div class="quiet"><span class="quiet-label">rate limit</span> <Facts facts={facts} /></div>;
  return <Card tone="warning" label={overloaded ? 'Overloaded' : retries ? 'Retry' : 'Rate limit'} title={spaced(data.status ?? '')}><Facts facts={facts} /></Card>;
}

function ServerReady({url}: {url: string}) {
  const safe = safeAddress(url);
  return (
    <Card tone="good" label="Server ready">
      {safe ? <a href={safe} target="_blank" rel="noopener noreferrer nofollow">{neutralLine(url)}</a> : <code>{neutralLine(url)}</code>}
    </Card>
  );
}

export function CardView({event, context}: {event: CardBlock['event']; context: BlockContext}) {
  switch (event.kind) {
    case 'command_started':
      return <Header event={event} />;
    case 'question':
      return <AskedQuestion event={event} context={context} />;
    case 'failure':
      return <Failure event={event} />;
    case 'next_action':
      return <NextAction action={event.data} dialect={event.origin.dialect} context={context} />;
    case 'turn_finished':
      return <TurnFinished event={event} />;
    case 'finished':
      return (
        <Verdict
          verdict={event.data.verdict ?? 'unknown'} reasons={event.data.reasons}
          facts={[event.data.exit_code ? `exit code ${event.data.exit_code}` : null, event.data.signal ? `signal ${event.data.signal}` : null]}
        />
      );
    case 'blocked':
      return <Card tone="warning" label="Blocked" title={event.data.reason}>{event.data.context.map((line, i) => <p key={i}>{neutralLine(line)}</p>)}</Card>;
    case 'files_changed':
      return <Card label={event.data.claimed ? 'Files changed, as the agent says' : 'Files changed'}><FileList files={event.data.files} limit={12} /></Card>;
    case 'test_results':
      return <Card tone={(event.data.failed ?? 0) > 0 ? 'bad' : 'good'} label="Tests"><TestReport data={event.data} limit={12} /></Card>;
    case 'lint_warnings':
      return <Card tone="warning" label="Lint" title={event.data.summary}><LintList items={event.data.items} limit={12} /></Card>;
    case 'rate_limited':
      return <RateLimit event={event} />;
    case 'completion_claimed':
      return <Card tone="good" label="Says it is done" title={event.data.text}><Facts facts={[event.data.by, event.data.iterations !== undefined && counted(event.data.iterations, 'iteration')]} /></Card>;
    case 'artifact_updated':
      return <Card label="Artifact" title={event.data.name}><Facts facts={[event.data.artifact, event.data.scope, event.data.path]} /></Card>;
    case 'server_ready':
      return <ServerReady url={event.data.url ?? ''} />;
    case 'goto':
      return <Card label="Goes to" title={event.data.step} />;
    case 'context_request':
      return (
        <Card label="Asks for context" title={event.data.query}>
          <Facts facts={[event.data.type, event.data.library, ...Object.entries(event.data.fields ?? {}).map(([key, value]) => `${key}: ${String(value)}`)]} />
        </Card>
      );
    case 'dependency_needed':
      return (
        <Card label="Needs">
          <ul>{event.data.items.map((item, i) => <li key={i}><code>{neutralLine(`${item.name} ${item.version ?? ''}`)}</code> {neutralLine(item.reason ?? '')} {item.manager ? <span class="note">({neutralLine(item.manager)})</span> : null}</li>)}</ul>
        </Card>
      );
    case 'commit_suggestion':
      return <Card label="Suggests the commit" title={event.data.subject}>{event.data.body ? <pre tabIndex={0} role="group" aria-label="Commit message">{neutral(event.data.body)}</pre> : null}</Card>;
  }
}
