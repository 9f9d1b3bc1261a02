// SPDX-License-Identifier: Apache-2.0
// Who can be given a task from the page.

// A run that is done again may have had an agent that needs a command line, which the server takes from nobody.
export function offeredAgents(agents: (string | {name: string})[] | undefined, chosen: string): string[] {
  if (agents === undefined) return chosen === '' ? [] : [chosen]; // not known yet
  return agents.map(agent => (typeof agent === 'string' ? agent : agent.name));
}

export interface Mode {
  value: string; // as the server takes it
  words: string; // as the agent calls it
}

const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'];
const permissions = ['default, without editing', 'acceptEdits', 'bypassPermissions'];

export const usualAgent = 'codex'; // who does it unless somebody is named

// What an agent may be allowed: Codex has sandboxes, Claude permission modes, others have neither.
export function modesOf(agent: string): Mode[] {
  const names = {codex: sandboxes, claude: permissions}[agent || usualAgent] ?? [];
  return sandboxes.map((value, i) => ({value, words: names[i] ?? ''})).filter(mode => mode.words !== '');
}
