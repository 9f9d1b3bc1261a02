// SPDX-License-Identifier: Apache-2.0
// The pieces of the HTML page.
#pragma once

#include "dragoman/show/html_markdown.hpp"
#include "dragoman/show/page_writer.hpp"

namespace dragoman::show {

// From the doctype to the beginning of <main>, and from its end on.
void append_page_start(std::string& out, std::string_view title);
void append_page_end(std::string& out);

class HtmlWriter final : public PageWriter {
 public:
  void start(std::string& out, std::string_view title) override { append_page_start(out, title); }
  void finish(std::string& out) override { append_page_end(out); }
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

 private:
  HtmlOutline outline_;
};

}  // namespace dragoman::show
