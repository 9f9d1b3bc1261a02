// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/prompts.hpp"

#include <algorithm>

namespace dragoman {
namespace {

constexpr std::string_view kMarkers = R"(# Report your work with line markers

A program reads your output line by line. Tell it what you do with these markers.

Rules:
- A marker stands at the very start of its line: nothing before it, no indentation, not inside a code
  block, not in a quotation.
- The name is in capitals in square brackets, then one space, then the content.
- A marker with several lines ends at the first blank line or at the next marker.

Report each major step (a file written, a piece of logic done):

```
[PROGRESS] Created src/lib/jwt.ts with token validation
```

Ask when the task leaves something open that you cannot decide. Offer two to four options, say why
you ask, and go on with whatever does not depend on the answer:

```
[QUESTION] Should tokens be stored in localStorage or sessionStorage?
Options:
1. localStorage - Persists across browser sessions
2. sessionStorage - Cleared when the browser closes
This affects logout and security.
```

Say so when no progress is possible at all, and what exactly is missing:

```
[BLOCKED] Cannot find the API base URL
The plan refers to API_BASE_URL, but neither .env nor src/config.ts defines it.
Please give the address.
```

At the end list every file that you changed, each as created, modified, deleted or renamed:

```
[FILES_MODIFIED]
- src/lib/jwt.ts (created)
- src/App.tsx (modified)
```

and, only when the whole task is done, close with the number of iterations it took:

```
[CODEX_COMPLETE] Task completed in 8 iterations
```

Good practice:
- Be honest: a task that is blocked or half done is not complete.
- A question is specific and has options; a block names the missing thing.
- Report progress after each step, not only at the end; list the files before you close.
- Do not write a marker when you only talk about it, and do not repeat one that a tool printed.

Where they apply, these help too:

```
[TEST_RESULTS] passed=45 failed=2 skipped=1 duration=12.4s framework=jest

[LINT_WARNINGS]
- src/a.ts:3:7: error 'x' is never used [no-unused-vars]

[DEPENDENCY_NEEDED] axios@^1.7 (npm) - HTTP client

[NEED_CONTEXT] type=context7 library="react" query="useEffect cleanup"

[GIT_COMMIT_SUGGESTION] feat: Validate tokens on each request
```
)";

constexpr std::string_view kQuestion = R"(# Ask with a question comment

When you need a decision from the user, write one HTML comment on a line of its own and end your turn.
A program shows the question, and the answer comes as the next message.

Rules:
- The comment is a single line: no line break inside it, no space before QUESTION.
- Behind `QUESTION:` stands one JSON object with a list `questions`. Strings are valid JSON: quotes and
  backslashes are escaped, and `>` is written `\u003e`.
- Each question has a `question` (whole sentence), a short `header`, and two to four `options` with a
  `label` and a `description`. Do not add an option "Other": the user can always answer freely.
- Put `"multiSelect":true` where several options may be chosen. For an open question leave the options
  empty and set `"freeText":true`.
- Write it outside of code blocks and quotations, and only when you really ask.

```
<!--QUESTION:{"questions":[{"question":"Which database should I use?","header":"Database","options":[{"label":"SQLite","description":"One file, no server"},{"label":"PostgreSQL","description":"A server, many writers"}],"multiSelect":false}]}-->
```

```
<!--QUESTION:{"questions":[{"question":"What should I name the API endpoint?","header":"Endpoint","options":[],"freeText":true}]}-->
```

When the whole task is done, write

```
<!--FINISHED-->
```

and to go on at another step of the plan you were given, name it:

```
<!--GOTO:review-->
```

Good practice:
- Ask early, and ask for everything you need at once: several questions go into one comment.
- Say in the text before the comment what you know already and why the answer matters.
- Never invent the answer.
)";

constexpr std::string_view kWxcode = R"(# Report your work with WXCODE comments

A chat page reads your Markdown and turns HTML comments into headers, progress bars and buttons.

Rules:
- A comment is `<!-- WXCODE:TYPE:{json} -->` on one line: one space after `<!--`, one before `-->`, no line
  break and no other space outside of the JSON.
- The JSON is complete and valid: no placeholder, no trailing comma; `progress` is a number from 0 to 100.
- Always write both: the comment, and below it the same for people. The JSON stays English whatever
  language you write in.
- Never put a comment into a code block or a quotation, unless you only want to talk about it.

Begin with a HEADER, directly followed by its title:

```
<!-- WXCODE:HEADER:{"command":"plan-phase","args":"2","title":"WXCODE ▶ PLANNING PHASE 2","phase":2} -->
## WXCODE ▶ PLANNING PHASE 2
```

Announce each tool that you use and report how it went; `output` has at most 200 characters:

```
<!-- WXCODE:TOOL:{"tool":"Bash","description":"Run the tests","command":"npm test"} -->

**Running:** Run the tests

<!-- WXCODE:TOOL_RESULT:{"tool":"Bash","success":true,"output":"42 passed","duration_ms":1840} -->

✓ Bash (1840ms)
```

Report how the work stands: pending, in_progress, completed, failed or paused:

```
<!-- WXCODE:STATUS:{"status":"in_progress","message":"Creating plan","progress":40,"phase":2} -->

⏳ Creating plan...
```

Report what went wrong, whether it can be mended, and how. Codes: MCP_UNAVAILABLE, FILE_NOT_FOUND,
PHASE_NOT_FOUND, PLAN_NOT_FOUND, GIT_DIRTY, VALIDATION_FAILED, AUTH_REQUIRED, TOOL_FAILED,
UAT_GAPS_FOUND, TIMEOUT, or one of your own:

```
<!-- WXCODE:ERROR:{"code":"GIT_DIRTY","message":"There are uncommitted changes","recoverable":true,"suggestion":"Commit or stash them"} -->

❌ **Error:** There are uncommitted changes
💡 Commit or stash them
```

End with the last STATUS and with what the user may do next: required, recommended or optional:

```
<!-- WXCODE:STATUS:{"status":"completed","message":"Plan created","progress":100,"phase":2} -->

✅ Plan created

<!-- WXCODE:NEXT_ACTION:{"command":"execute-phase","args":"2","description":"Execute the plan","priority":"recommended"} -->

**Next:** `/wxcode:execute-phase 2` — Execute the plan
```

When a file of the project was written or the server runs, say so at the start of a line:

```
[WXCODE:DASHBOARD_UPDATED] .planning/dashboard.json
[WXCODE:SERVER_READY] http://localhost:3000
```

Good practice:
- One HEADER for each command, before anything else.
- Progress only goes up, and 100 only with completed.
- A step that waits for the user is `paused`, with a NEXT_ACTION of priority required.
- `duration_ms` of a tool tells people where the time went.
- After verify-work with gaps the next action is execute-phase with `--gaps-only`, priority required; after
  execute-phase with gaps it is plan-phase with `--gaps`.
- Titles, status messages and next actions of the known commands: `dragoman commands`.
)";

constexpr DialectPrompt kPrompts[] = {
    {"markers", kMarkers},
    {"question", kQuestion},
    {"wxcode", kWxcode},
};

}  // namespace

std::span<const DialectPrompt> dialect_prompts() { return kPrompts; }

std::string_view prompt_for(std::string_view dialect) {
  const auto* const found = std::ranges::find(kPrompts, dialect, &DialectPrompt::dialect);
  return found != std::end(kPrompts) ? found->text : std::string_view();
}

}  // namespace dragoman
