// SPDX-License-Identifier: Apache-2.0
import type {ComponentChildren} from 'preact';
import {useEffect, useId, useRef} from 'preact/hooks';
import {Icon} from './icon';

// The browser's own dialog: it keeps the focus, closes on Escape, and gives the focus back.
export function Dialog({title, close, children}: {title: string; close: () => void; children: ComponentChildren}) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={heading} onClose={close} onClick={event => { if (event.target === element.current) close(); }}>
      <div class="dialog-body">
        <div class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={close}><Icon name="close" /></button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
