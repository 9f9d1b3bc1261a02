// SPDX-License-Identifier: Apache-2.0
// The kinds that report something: what describe() answers for them.
#pragma once

#include "dragoman/show/item.hpp"

namespace dragoman::show {

[[nodiscard]] Item report_item(const Blocked& p);
[[nodiscard]] Item report_item(const FilesChanged& p);
[[nodiscard]] Item report_item(const Usage& p);
[[nodiscard]] Item report_item(const RateLimited& p);
[[nodiscard]] Item report_item(const CompletionClaimed& p);
[[nodiscard]] Item report_item(const TurnFinished& p);
[[nodiscard]] Item report_item(const Finished& p);
[[nodiscard]] Item report_item(const ArtifactUpdated& p);
[[nodiscard]] Item report_item(const ServerReady& p);
[[nodiscard]] Item report_item(const GoTo& p);
[[nodiscard]] Item report_item(const ContextRequest& p);
[[nodiscard]] Item report_item(const TestResults& p);
[[nodiscard]] Item report_item(const LintWarnings& p);
[[nodiscard]] Item report_item(const DependencyNeeded& p);
[[nodiscard]] Item report_item(const CommitSuggestion& p);
[[nodiscard]] Item report_item(const QuotedMarker& p);
[[nodiscard]] Item report_item(const Malformed& p);
[[nodiscard]] Item report_item(const Oversize& p);
[[nodiscard]] Item report_item(const Unknown& p);
[[nodiscard]] Item report_item(const Diagnostic& p);

}  // namespace dragoman::show
