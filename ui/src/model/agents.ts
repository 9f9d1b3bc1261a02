// SPDX-License-Identifier: Apache-2.0
// Who can be given a task from the page.

// A run that is done again may have had an agent that needs a command line, which the server takes from nobody.
export function offeredAgents(agents: (string | {name: string})[] | undefined, chosen: string): string[] {
  if (agents === undefined) return chosen === '' ? [] : [chosen]; // not known yet
  return agents.map(agent => (typeof agent === 'string' ? agent : agent.name));
}
