// SPDX-License-Identifier: Apache-2.0
// Scripts that speak as agents do, for what a real one cannot be made to do.
#pragma once

namespace dragoman::test {

// Codex with a secret question in its words, where only the next start hears the answer: it is in
// the file `heard` then.
inline constexpr char kCodexAsksForAPassword[] = R"(#!/bin/sh
heard=$(cat)
echo '{"type":"thread.started","thread_id":"01a1e0cc-1d02-7023-8251-bb6257d0d124"}'
echo '{"type":"turn.started"}'
case "$*" in
  *resume*) echo "$heard" > heard; text=done;;
  *) text='<!--QUESTION:{\"questions\":[{\"question\":\"Which password?\",\"isSecret\":true}]}-->';;
esac
echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"'"$text"'"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
)";

}  // namespace dragoman::test
