// SPDX-License-Identifier: Apache-2.0
// Agent Client Protocol: the session/update notifications an agent sends to its editor.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "dragoman/dialect/recent_ids.hpp"
#include "dragoman/dialect/writer.hpp"

namespace dragoman {

class AcpWriter final : public Writer {
 public:
  Result<Written> write(const Event& event, std::string& out) override;
  void finish(std::string& /*out*/) override {}

 private:
  Written write_text(const DisplayText& text, const Event& event, std::string& out);
  void write_tool(const ToolStarted& tool, std::string& out);
  void write_tool_end(const ToolFinished& tool, std::string& out);
  Written write_plan(const Status& status, std::string& out);
  [[nodiscard]] std::string absolute(std::string_view path) const;
  void put(std::string_view update, std::string& out);

  static constexpr std::string_view kUnnamed = "dragoman";
  std::string session_;  // empty until it is known or needed
  std::string cwd_;      // of the session, when it is known
  std::uint64_t calls_ = 0;
  std::set<std::string, std::less<>> open_;  // calls that have begun and not ended
  RecentIds announced_;                      // calls that have begun
  std::deque<std::string> unnamed_;          // ids we gave to calls that had none, oldest first
};

}  // namespace dragoman
