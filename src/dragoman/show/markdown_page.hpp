// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dragoman/show/page_writer.hpp"

namespace dragoman::show {

// GitHub's Markdown. Every piece ends with an empty line and closes what it opened.
class MarkdownPageWriter final : public PageWriter {
 public:
  void start(std::string& out, std::string_view title) override;
  void finish(std::string& out) override;
  void run_label(std::string& out, std::string_view label) override;
  void subagent_start(std::string& out, std::string_view who) override;
  void subagent_end(std::string& out) override;
  void spoken(std::string& out, const Spoken& spoken) override;
  void header(std::string& out, const CommandStarted& command) override;
  void session(std::string& out, const SessionStarted& session) override;
  void status(std::string& out, const Status& status) override;
  void question(std::string& out, const Question& question) override;
  void next_action(std::string& out, const NextAction& action) override;
  void failure(std::string& out, const Failure& failure) override;
  void lint(std::string& out, const LintWarnings& lint) override;
  void tool(std::string& out, const PageTool& tool) override;
  void item(std::string& out, const Item& item) override;
  void end(std::string& out, const RunSummary& run, const PageEnd& end) override;
};

}  // namespace dragoman::show
