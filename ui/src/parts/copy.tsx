// SPDX-License-Identifier: Apache-2.0
import {useState} from 'preact/hooks';
import {announcement, tell} from '../store';
import {Icon} from './icon';

export function CopyButton({text, label, words}: {text: string; label: string; words?: string}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announcement.value = 'Copied';
      setDone(true);
      window.setTimeout(() => setDone(false), 1500);
    } catch {
      tell('The browser does not allow copying');
    }
  };
  return (
    <button type="button" class={words ? 'button' : 'icon-button copy'} aria-label={words ? undefined : label} title={label} onClick={copy}>
      <Icon name={done ? 'check' : 'copy'} />
      {words ? <span>{done ? 'Copied' : words}</span> : null}
    </button>
  );
}
