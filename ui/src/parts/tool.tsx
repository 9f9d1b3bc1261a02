// SPDX-License-Identifier: Apache-2.0
// A tool: one line that opens. What a subagent did stands inside.
import {signal} from '@preact/signals';
import {useEffect, useState} from 'preact/hooks';
import type {ToolBlock} from '../model/blocks';
import {neutral, neutralLine, withoutColours} from '../model/neutral';
import {titleOfCall} from '../model/story';
import {counted, durationWords} from '../model/words';
import {type BlockContext, BlockView, Output} from './block';
import {leadsThrough} from './finding';
import {Icon} from './icon';

// Set by the shortcut: all tools open, or all closed. `turn` tells one press from the next.
const allTools = signal({open: false, turn: 0});

export function toggleTools(): void {
  allTools.value = {open: !allTools.value.open, turn: allTools.value.turn + 1};
}

function stateOf(block: ToolBlock, over: boolean): {name: string; mark: string; words: string} {
  if (!block.result) return over ? {name: 'open', mark: '◌', words: 'not finished'} : {name: 'running', mark: '', words: 'running'};
  if (block.result.outcome === 'ok') return {name: 'ok', mark: '✓', words: 'ok'};
  return {name: 'failed', mark: '✗', words: block.result.outcome};
}

function Input({block}: {block: ToolBlock}) {
  const {call} = block;
  if (!call) return null;
  if (call.command !== undefined) return <pre class="command" tabIndex={0} role="group" aria-label="Command">$ {neutral(call.command)}</pre>;
  const input = call.input === undefined ? '' : JSON.stringify(call.input, null, 2);
  if (input !== '' && input !== '{}') return <Output text={input} label="Input" owner={block.key} />;
  const detail = call.file ?? call.mcp_tool ?? '';
  return detail === '' ? null : <pre class="command" tabIndex={0} role="group" aria-label="Input">{neutral(detail)}</pre>;
}

function Inside({block, context}: {block: ToolBlock; context: BlockContext}) {
  const {inside, result} = block;
  return (
    <div class="inside">
      <Input block={block} />
      {inside ? (
        <div class="wxcode-subagent" role="group" aria-label={`Subagent: ${neutralLine(block.call?.description ?? 'without a name')}`}>
          <p class="who">{neutralLine(block.call?.description ?? 'Subagent')}</p>
          {inside.dropped > 0 ? <p class="quiet">{counted(inside.dropped, 'earlier block')} not kept</p> : null}
          {inside.blocks.map(inner => <BlockView key={inner.key} block={inner} version={inner.version} context={context} marked={null} />)}
        </div>
      ) : null}
      {result ? (
        <div class="result">
          {result.error ? <div class="wxcode-error" role="alert"><p class="plain" dir="auto">{neutral(withoutColours(result.error).slice(0, 20_000))}</p></div> : null}
          {result.output ? <Output text={result.output} label="Output" owner={block.key} /> : null}
          {result.exit_code ? <p class="note">exit code {result.exit_code}</p> : null}
          {!result.output && !result.error && !inside ? <p class="note">{result.outcome}, without output</p> : null}
        </div>
      ) : null}
    </div>
  );
}

// A component that has a state is drawn again only for other properties: a block stays the same one, its `version` does not.
export function ToolView({block, context}: {block: ToolBlock; version: number; context: BlockContext}) {
  const state = stateOf(block, context.over);
  const [open, setOpen] = useState<boolean | null>(null); // null: nobody has said
  const {turn} = allTools.value;
  useEffect(() => {
    if (turn > 0) setOpen(allTools.value.open);
  }, [turn]);
  const led = leadsThrough(block.key);
  useEffect(() => {
    if (led) setOpen(true);
  }, [led]);
  const shown = open ?? state.name === 'failed';
  const name = neutralLine(block.call?.tool ?? block.result?.tool ?? 'tool');
  const what = block.call ? neutralLine(titleOfCall(block.call).slice(0, 300)) : '';
  return (
    <div class={`wxcode-tool wxcode-tool-${state.name}${shown ? ' open' : ''}`}>
      <button type="button" class="tool-line" aria-expanded={shown} onClick={() => setOpen(!shown)}>
        <span class="mark" role="img" aria-label={state.words}>{state.mark}</span>
        <span class="name">{name}</span>
        <span class="what" dir="auto">{what === name ? '' : what}</span>
        {block.inside ? <span class="chip">{counted(block.inside.blocks.length + block.inside.dropped, 'step')}</span> : null}
        {block.duration !== null && block.duration >= 1 ? <span class="time">{durationWords(block.duration)}</span> : null}
        <Icon name="right" />
      </button>
      {shown ? <Inside block={block} context={context} /> : null}
    </div>
  );
}
