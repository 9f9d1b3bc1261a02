// SPDX-License-Identifier: Apache-2.0
// The form of a new task. A next action fills it in; only the button starts it.
import {useEffect, useLayoutEffect, useRef, useState} from 'preact/hooks';
import {api, kept, messageOf} from '../api';
import {modesOf, offeredAgents} from '../model/agents';
import {lastAgent, lastDirectory} from '../prefs';
import {go, place, useTitle} from '../router';
import {announcement, info, putRuns, runs} from '../store';

// What was typed and not sent: it is still there after a look at something else.
let draft = '';

export function NewTask() {
  useTitle('New task');
  const search = place.value.searchParams;
  const again = search.get('again'); // a run to do once more
  const from = again ?? search.get('from') ?? '';
  const source = runs.get(from);
  const [task, setTask] = useState(search.get('task') ?? (again === null ? draft : ''));
  const field = useRef<HTMLTextAreaElement>(null);
  const [agent, setAgent] = useState(source?.agent ?? lastAgent.value);
  const [directory, setDirectory] = useState(source?.working_dir ?? lastDirectory.value);
  const [model, setModel] = useState('');
  const [mode, setMode] = useState('');
  const [resume, setResume] = useState('');
  const [destructive, setDestructive] = useState(false);
  const [more, setMore] = useState(false); // as whoever edits in it has left it
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  useLayoutEffect(() => field.current?.focus(), []); // before the next key
  const edited = useRef(new Set<string>()); // fields whose words are their writer's
  // The run that suggested it: same agent, same place, same session. Once more is a session of its own.
  useEffect(() => {
    if (from === '') return;
    let current = true;
    const fill = (name: string, set: (value: string) => void, value: string | null | undefined) => {
      if (!edited.current.has(name)) set(value ?? '');
    };
    api.run(from).then(run => {
      if (!current) return;
      fill('agent', setAgent, run.agent);
      fill('directory', setDirectory, run.working_dir);
      if (again === null) {
        fill('resume', setResume, run.thread_id);
        if (run.thread_id) setMore(true);
        return;
      }
      fill('task', value => setTask(typed => typed || value), run.text);
      fill('model', setModel, run.model);
      fill('mode', setMode, run.mode);
      if (run.model || run.mode) setMore(true);
    }, () => undefined);
    return () => {
      current = false;
    };
  }, [from]);
  const agents = offeredAgents(info.value, agent);
  const modes = modesOf(info.value, agents.includes(agent) ? agent : '');
  const send = async (event: Event) => {
    event.preventDefault();
    if (task.trim() === '' || busy) return;
    setBusy(true);
    setError('');
    const body: Record<string, unknown> = {task, keep: kept};
    if (agents.includes(agent)) body['agent'] = agent;
    if (directory.trim() !== '') body['working_dir'] = directory.trim();
    if (model.trim() !== '') body['model'] = model.trim();
    if (modes.some(one => one.value === mode)) body['mode'] = mode;
    if (resume.trim() !== '') body['resume'] = resume.trim();
    if (destructive) body['allow_destructive_git'] = true;
    try {
      const {run} = await api.submit(body);
      draft = '';
      lastAgent.value = agent;
      lastDirectory.value = directory.trim();
      putRuns([run]);
      announcement.value = 'Task started';
      go(`/runs/${encodeURIComponent(run.id)}`);
    } catch (problem) {
      setError(messageOf(problem));
      setBusy(false);
    }
  };
  return (
    <main id="main" class="narrow" tabIndex={-1}>
      <div class="page-head"><h1>New task</h1></div>
      <form class="form" onSubmit={send} onInput={e => { if (e.target instanceof HTMLElement) edited.current.add(e.target.id); }}>
        <div class="field">
          <label for="task">What shall be done?</label>
          <textarea ref={field} id="task" rows={6} required value={task} onInput={e => setTask(draft = e.currentTarget.value)}
            onKeyDown={e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) void send(e); }} />
        </div>
        <div class="field-row">
          <div class="field">
            <label for="agent">Agent</label>
            <select id="agent" value={agents.includes(agent) ? agent : ''} onChange={e => setAgent(e.currentTarget.value)}>
              <option value="">the default{info.value ? `: ${info.value.usual_agent}` : ''}</option>
              {agents.map(name => <option key={name} value={name}>{name}</option>)}
            </select>
          </div>
          <div class="field grow">
            <label for="directory">Working directory</label>
            <input id="directory" value={directory} placeholder="where the server runs" spellcheck={false} autocomplete="off" onInput={e => setDirectory(e.currentTarget.value)} />
          </div>
        </div>
        <details class="more" open={more} onToggle={e => setMore(e.currentTarget.open)}>
          <summary>More</summary>
          <div class="field-row">
            <div class="field"><label for="model">Model</label><input id="model" value={model} spellcheck={false} autocomplete="off" onInput={e => setModel(e.currentTarget.value)} /></div>
            <div class="field">
              <label for="mode">Mode</label>
              <select id="mode" value={mode} onChange={e => setMode(e.currentTarget.value)}>
                <option value="">{resume.trim() === '' ? 'as it is set up' : 'as before'}</option>
                {modes.map(one => <option key={one.value} value={one.value}>{one.words}</option>)}
              </select>
            </div>
            <div class="field grow"><label for="resume">Resume session</label><input id="resume" value={resume} spellcheck={false} autocomplete="off" onInput={e => setResume(e.currentTarget.value)} /></div>
          </div>
          <label class="check"><input type="checkbox" checked={destructive} onChange={e => setDestructive(e.currentTarget.checked)} /> Allow destructive git commands</label>
        </details>
        {error ? <p class="form-error" role="alert">{error}</p> : null}
        <div class="buttons">
          <button type="submit" class="button primary" disabled={busy || task.trim() === ''}>{busy ? 'Starting…' : 'Start'}</button>
          <span class="note wide-only"><kbd>Ctrl</kbd> <kbd>Enter</kbd> starts too</span>
        </div>
      </form>
    </main>
  );
}
