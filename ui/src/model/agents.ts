// SPDX-License-Identifier: Apache-2.0
// Who can be given a task from the page, and what they may be allowed: as the server says.
import type {Info, Mode} from '../api';

// A run that is done again may have had an agent that needs a command line, which the server takes from nobody.
export function offeredAgents(info: Info | null | undefined, chosen: string): string[] {
  if (!info) return chosen === '' ? [] : [chosen]; // not known yet
  return info.agents;
}

export function modesOf(info: Info | null | undefined, agent: string): Mode[] {
  return info?.modes[agent || info.usual_agent] ?? [];
}
