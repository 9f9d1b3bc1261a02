// SPDX-License-Identifier: Apache-2.0
import {neutral, neutralLine} from '../model/neutral';
import type {Story} from '../model/story';
import {counted} from '../model/words';
import {CopyButton} from './copy';
import {FileList, LintList, TestReport} from './reports';

export function Changes({story, live}: {story: Story; live: boolean}) {
  const files = [...story.files.values()];
  const seen = files.filter(file => !file.claimed);
  const claimed = files.filter(file => file.claimed);
  if (files.length === 0 && story.tests.length === 0 && story.lint.length === 0 && !story.commit) {
    return <p class="empty">No files changed, no tests run{live ? ' so far' : ''}.</p>;
  }
  const message = story.commit ? [story.commit.subject, story.commit.body].filter(Boolean).join('\n\n') : '';
  return (
    <div class="changes">
      {seen.length > 0 ? <section class="part"><h2>{counted(seen.length, 'file')} changed</h2><FileList files={seen} limit={200} /></section> : null}
      {claimed.length > 0 ? <section class="part"><h2>{counted(claimed.length, 'file')}, as the agent says</h2><FileList files={claimed} limit={200} /></section> : null}
      {story.tests.length > 0 ? (
        <section class="part">
          <h2>Tests</h2>
          {[...story.tests].reverse().map((event, i) => <TestReport key={i} data={event.data} limit={100} />)}
        </section>
      ) : null}
      {story.lint.map((event, i) => <section key={i} class="part"><h2>Lint {neutralLine(event.data.summary ?? '')}</h2><LintList items={event.data.items} limit={100} /></section>)}
      {story.commit ? (
        <section class="part">
          <h2>Suggested commit</h2>
          <pre tabIndex={0} role="group" aria-label="Commit message">{neutral(message)}</pre>
          <CopyButton text={message} label="Copy the commit message" words="Copy" />
        </section>
      ) : null}
    </div>
  );
}
