// SPDX-License-Identifier: Apache-2.0
// The command that permission is asked for, for whoever decides about it.
import type {Wants} from '../model/event';
import {neutral} from '../model/neutral';

export function Wanted({wants}: {wants: Wants | undefined}) {
  return (
    <>
      {wants?.command ? <pre class="command" tabIndex={0} role="group" aria-label="Command" dir="auto">{neutral(wants.command)}</pre> : null}
      {wants?.cut ? <p class="note">Too long: something is missing here.</p> : null}
    </>
  );
}
