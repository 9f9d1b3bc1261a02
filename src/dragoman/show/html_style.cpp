// SPDX-License-Identifier: Apache-2.0
#include "dragoman/show/html_style.hpp"

#include "dragoman/base/base64.hpp"
#include "dragoman/base/sha256.hpp"

namespace dragoman::show {
namespace {

// The colours of the specification are those of dots, bars and borders. Words on top of them are
// dark or white, for most of these colours are too light to be read on paper white.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1f2430; --soft: #565d6b; --line: #e3e5ea; --well: #f6f7f9;
  --accent: #7C3AED; --link: #5b21b6; --good: #10B981; --bad: #EF4444; --warn: #F59E0B; --info: #3B82F6;
  --error-paper: #FEE2E2; --error-ink: #7f1d1d; --next-paper: #EDE9FE; --next-ink: #3b1d82;
  --ask-paper: #fffbeb; --ask-ink: #5b3a06; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14161b; --ink: #e4e6eb; --soft: #a2a9b6; --line: #2c3039; --well: #1b1e25;
  --link: #c4b5fd; --error-paper: #35171a; --error-ink: #fecaca; --next-paper: #251b3f; --next-ink: #ddd6fe;
  --ask-paper: #2a2213; --ask-ink: #fde68a; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
main, .top, .foot { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem; }
main { padding-bottom: 2rem; }
.top { padding-top: 2rem; }
.foot { padding-bottom: 2rem; color: var(--soft); font-size: .8125rem; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .25rem; font-weight: 650; }
h2 { font-size: 1.0625rem; margin: 2rem 0 .5rem; font-weight: 650; }
h3, h4, h5, h6 { font-size: 1rem; line-height: 1.35; margin: 1.5rem 0 .5rem; font-weight: 650; }
.md1 { font-size: 1.25rem; } .md2 { font-size: 1.125rem; }
p, ul, ol, blockquote, pre { margin: 0 0 .75rem; }
p, li, h2, h3, h4, h5, h6, th, td, summary { unicode-bidi: plaintext; }
ul, ol { padding-left: 1.5rem; } li { margin: .125rem 0; } .task { list-style: none; margin-left: -1.25rem; }
blockquote { border-left: 3px solid var(--line); padding-left: 1rem; color: var(--soft); }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
code, pre, kbd { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { background: var(--well); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--well); border: 1px solid var(--line); border-radius: 6px; padding: .625rem .75rem;
  white-space: pre-wrap; tab-size: 4; }
pre code { background: none; padding: 0; font-size: 1em; }
.plain { white-space: pre-wrap; }
.table { overflow-x: auto; margin: 0 0 .75rem; }
table { border-collapse: collapse; font-size: .9375rem; }
th, td { border: 1px solid var(--line); padding: .25rem .625rem; text-align: start; vertical-align: top; overflow-wrap: normal; }
th { background: var(--well); font-weight: 600; } .right { text-align: right; } .center { text-align: center; }
.skip { position: absolute; left: -100rem; } .skip:focus { position: static; display: block; padding: .5rem 1.25rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.note, .meta { color: var(--soft); font-size: .875rem; } .meta { margin: 0 0 .75rem; }
.meta span + span::before, .facts span + span::before { content: "·"; margin: 0 .5em; }
.facts { color: var(--soft); font-size: .875rem; }
.say { margin: .75rem 0; } .say > :last-child { margin-bottom: 0; }
.thinking { border-left: 2px solid var(--line); padding-left: .875rem; color: var(--soft); font-size: .9375rem; }
.run-label { margin: 1.5rem 0 .5rem; color: var(--soft); font-size: .8125rem; font-weight: 600; }

.wxcode-header { background: #7C3AED; color: white; border-radius: 8px; padding: .75rem 1rem; margin: 1.25rem 0 1rem; }
.wxcode-header h2 { margin: 0; color: inherit; } .wxcode-header p { margin: .125rem 0 0; font-size: .875rem; }
.wxcode-header code { background: none; padding: 0; }

.wxcode-status { display: grid; grid-template-columns: .625rem 1fr auto; gap: .125rem .75rem; align-items: center;
  margin: .75rem 0; font-size: .9375rem; }
.wxcode-status::before { content: ""; width: .625rem; height: .625rem; border-radius: 50%; background: currentColor; }
.wxcode-status > * { color: var(--ink); } .wxcode-status .facts { color: var(--soft); grid-column: 2 / -1; }
.wxcode-status .percent { font-variant-numeric: tabular-nums; color: var(--soft); font-size: .875rem; }
.wxcode-status .bar { grid-column: 2 / -1; color: inherit; height: .375rem; border-radius: 3px; overflow: hidden;
  background: var(--line); line-height: 0; }
.bar svg { width: 100%; height: 100%; display: block; } .bar rect { fill: currentColor; }
.wxcode-status-pending { color: #6B7280; }
.wxcode-status-in_progress { color: #3B82F6; }
.wxcode-status-completed { color: #10B981; }
.wxcode-status-failed { color: #EF4444; }
.wxcode-status-paused { color: #F59E0B; }
.wxcode-status-other { color: #6B7280; }

.wxcode-tool { margin: .375rem 0; border: 1px solid var(--line); border-radius: 6px; }
.wxcode-tool > summary { padding: .375rem .75rem; cursor: pointer; list-style: none; display: flex; gap: .625rem;
  align-items: baseline; font-size: .9375rem; }
.wxcode-tool > summary::-webkit-details-marker { display: none; }
.wxcode-tool > summary:hover { background: var(--well); border-radius: 6px; }
.wxcode-tool .mark { flex: none; width: 1em; text-align: center; font-weight: 700; }
.wxcode-tool .mark::before { content: attr(data-mark); }
.wxcode-tool .name { font-weight: 600; flex: 0 1 auto; max-width: 60%; }
.wxcode-tool .what { flex: 1; min-width: 0; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.wxcode-tool[open] > summary .what { white-space: normal; }
.wxcode-tool .time { flex: none; color: var(--soft); font-size: .8125rem; font-variant-numeric: tabular-nums; }
.wxcode-tool .inside { padding: .25rem .75rem .625rem; } .inside > :last-child { margin-bottom: 0; }
.wxcode-tool-ok .mark { color: #10B981; } .wxcode-tool-failed .mark { color: #EF4444; }
.wxcode-tool-failed { border-color: #EF4444; } .wxcode-tool-open .mark { color: #3B82F6; }
.inside .command { margin-bottom: .5rem; }
.wxcode-subagent { border-left: 2px solid var(--accent); padding-left: .875rem; margin: .75rem 0; }
.wxcode-subagent > .who { color: var(--soft); font-size: .8125rem; font-weight: 600; margin: 0 0 .25rem; }

.wxcode-error, .wxcode-next-action, .wxcode-question, .card { border-radius: 8px; padding: .75rem 1rem; margin: 1rem 0; }
.wxcode-error { background: #FEE2E2; background: var(--error-paper); border: 1px solid #EF4444; color: var(--error-ink); }
.wxcode-next-action { background: #EDE9FE; background: var(--next-paper); border: 1px solid #7C3AED; color: var(--next-ink); }
.wxcode-question { background: var(--ask-paper); border: 1px solid #F59E0B; color: var(--ask-ink); }
.wxcode-question-answered { background: none; border-color: #10B981; color: var(--ink); }
.wxcode-question-denied { background: none; border-color: #EF4444; color: var(--ink); }
.wxcode-error .note, .wxcode-question .note, .wxcode-next-action .note,
.wxcode-error .facts, .wxcode-question .facts, .wxcode-next-action .facts { color: inherit; }
.wxcode-error pre, .wxcode-question pre, .wxcode-error code, .wxcode-question code, .wxcode-next-action code { background: none; border-color: currentColor; color: inherit; }
.wxcode-error p, .wxcode-next-action p, .wxcode-question p { margin: 0 0 .375rem; }
.wxcode-error > :last-child, .wxcode-next-action > :last-child, .wxcode-question > :last-child { margin-bottom: 0; }
.wxcode-next-action .command { display: inline-block; border: 1px solid #7C3AED; border-radius: 6px; padding: .25rem .75rem;
  user-select: all; font-weight: 600; }
.wxcode-priority-required .command { background: #7C3AED; color: white; }
.wxcode-priority-optional { background: none; border-style: dashed; border-color: var(--line); color: var(--ink); }
.wxcode-question ol { margin: .5rem 0; padding-left: 1.75rem; } .wxcode-question li::marker { font-weight: 700; }
.chip { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; font-size: .75rem; font-weight: 600;
  margin-right: .5rem; }
.card { border: 1px solid var(--line); border-left: 3px solid #6B7280; padding: .5rem .875rem; font-size: .9375rem; }
.card p { margin: 0 0 .25rem; } .card > :last-child { margin-bottom: 0; } .card ul { padding-left: 1.25rem; margin: .25rem 0; }
.card pre { margin-top: .375rem; }
.card-good { border-left-color: #10B981; } .card-warning { border-left-color: #F59E0B; } .card-bad { border-left-color: #EF4444; }
.quiet { color: var(--soft); font-size: .8125rem; margin: .375rem 0; } .quiet .facts { font-size: inherit; }

.end { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.verdict { font-size: 1.0625rem; font-weight: 650; margin: 0 0 .5rem; } .verdict.wxcode-status { display: flex; gap: .625rem; }
.totals { display: grid; grid-template-columns: repeat(auto-fill, minmax(8rem, 1fr)); gap: .75rem 1.25rem; margin: .75rem 0; }
.totals dt { color: var(--soft); font-size: .8125rem; } .totals dd { margin: 0; font-variant-numeric: tabular-nums; font-weight: 600; }

.timeline { margin: 1rem 0; } .timeline .table svg { width: 100%; min-width: 40rem; height: auto; display: block; }
.timeline text { fill: var(--ink); font: 11px system-ui, sans-serif; } .timeline .axis { fill: var(--soft); }
.timeline .lane { fill: var(--well); } .timeline .grid { stroke: var(--line); }
.timeline .ok { fill: #10B981; } .timeline .failed { fill: #EF4444; } .timeline .open { fill: #3B82F6; }
.timeline .wait { fill: #F59E0B; } .timeline .agent { fill: #7C3AED; } .timeline .think { fill: #9ca3af; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; font-size: .8125rem; color: var(--soft); }
.legend svg { display: inline-block; width: .75rem; height: .75rem; margin-right: .375rem; vertical-align: -.0625rem; }
@media (max-width: 40rem) { body { font-size: 15px; } main, .top, .foot { padding-left: .875rem; padding-right: .875rem; }
  .wxcode-tool > summary { flex-wrap: wrap; gap: 0 .5rem; } .wxcode-tool .what { flex-basis: 100%; order: 9; padding-left: 1.5em; } .wxcode-tool .time { margin-left: auto; } .wxcode-tool .name { max-width: 70%; } }
@media print { body { font-size: 10.5pt; background: white; } main, .top, .foot { max-width: none; padding: 0; } .skip { display: none; }
  .wxcode-tool, .card, .wxcode-error, .wxcode-question, .wxcode-next-action { break-inside: avoid; }
  .wxcode-header { print-color-adjust: exact; -webkit-print-color-adjust: exact; } a { color: inherit; } }
)css";

}  // namespace

std::string_view html_style() { return kStyle; }

std::string html_policy() {
  const auto digest = sha256(kStyle);
  return "default-src 'none'; style-src 'sha256-" +
         base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) +
         "'; base-uri 'none'; form-action 'none'";
}

}  // namespace dragoman::show
