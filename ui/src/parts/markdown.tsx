// SPDX-License-Identifier: Apache-2.0
// An agent's words as nodes of our own. Text goes in as text; there is no path from an agent to
// markup.
import type {ComponentChildren, JSX} from 'preact';
import {memo} from 'preact/compat';
import {type Align, type MdBlock, parseMarkdown} from '../model/markdown';
import type {Inline} from '../model/markdown_inline';
import {neutral, neutralLine} from '../model/neutral';
import {CopyButton} from './copy';

function Inlines({nodes}: {nodes: Inline[]}) {
  return <>{nodes.map(oneInline)}</>;
}

function oneInline(node: Inline, key: number): JSX.Element | string {
  switch (node.type) {
    case 'text':
      return neutral(node.text);
    case 'code':
      return <code key={key}>{neutralLine(node.text)}</code>;
    case 'break':
      return <br key={key} />;
    case 'strong':
      return <strong key={key}><Inlines nodes={node.content} /></strong>;
    case 'em':
      return <em key={key}><Inlines nodes={node.content} /></em>;
    case 'del':
      return <del key={key}><Inlines nodes={node.content} /></del>;
    case 'link':
      return (
        <a key={key} href={node.href} target="_blank" rel="noopener noreferrer nofollow">
          <Inlines nodes={node.content} />
        </a>
      );
  }
}

export function Code({text, info}: {text: string; info?: string}) {
  return (
    <div class="code">
      {info ? <span class="code-info">{neutralLine(info.slice(0, 40))}</span> : null}
      <CopyButton text={text} label="Copy the code" />
      <pre tabIndex={0} role="group" aria-label="Code"><code>{neutral(text)}</code></pre>
    </div>
  );
}

// The page has two levels of headings above an agent's.
function Heading({level, children}: {level: number; children: ComponentChildren}) {
  const Tag = `h${Math.min(6, level + 2)}` as 'h3';
  return <Tag class={`md${level}`}>{children}</Tag>;
}

function Table({block}: {block: Extract<MdBlock, {type: 'table'}>}) {
  const side = (align: Align) => (align === 'right' || align === 'center' ? align : undefined);
  return (
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{block.head.map((cell, i) => <th key={i} scope="col" class={side(block.align[i])}><Inlines nodes={cell} /></th>)}</tr>
        </thead>
        <tbody>
          {block.rows.map((row, r) => (
            <tr key={r}>{row.map((cell, i) => <td key={i} class={side(block.align[i])}><Inlines nodes={cell} /></td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function oneBlock(block: MdBlock, key: number): JSX.Element {
  switch (block.type) {
    case 'paragraph':
      return <p key={key} dir="auto"><Inlines nodes={block.content} /></p>;
    case 'heading':
      return <Heading key={key} level={block.level}><Inlines nodes={block.content} /></Heading>;
    case 'code':
      return <Code key={key} text={block.text} info={block.info} />;
    case 'quote':
      return <blockquote key={key}>{block.blocks.map(oneBlock)}</blockquote>;
    case 'rule':
      return <hr key={key} />;
    case 'table':
      return <Table key={key} block={block} />;
    case 'list': {
      const items = block.items.map((item, i) => (
        <li key={i} class={item.checked === undefined ? undefined : 'task'}>
          {item.checked === undefined ? null : <span role="img" aria-label={item.checked ? 'done' : 'open'} class="box">{item.checked ? '☑' : '☐'}</span>}
          {item.blocks.map((inner, n) => (block.tight && inner.type === 'paragraph' ? <span key={n} dir="auto"><Inlines nodes={inner.content} /></span> : oneBlock(inner, n)))}
        </li>
      ));
      return block.ordered ? <ol key={key} start={block.start}>{items}</ol> : <ul key={key}>{items}</ul>;
    }
  }
}

export const Markdown = memo(function Markdown({text}: {text: string}) {
  return <div class="md">{parseMarkdown(text).map(oneBlock)}</div>;
});
