// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dragoman/redact/filter.hpp"
#include "dragoman/redact/prefixes.hpp"
#include "dragoman/redact/recognise.hpp"

namespace dragoman::redact {

// Everything that is looked for, found by its first bytes.
class Rules {
 public:
  explicit Rules(std::vector<std::string> secrets, std::vector<std::string> answers = {});

  [[nodiscard]] const std::vector<std::string>& secrets() const { return secrets_; }
  [[nodiscard]] const std::vector<std::string>& answers() const { return answers_; }

  // The next place where something may begin, or the end.
  [[nodiscard]] const char* find(const char* from, const char* end) const {
    return prefixes_.find(from, end);
  }
  // What begins there. The first rule that does not say no decides, so that the answer does not
  // depend on how much of the text is there already.
  [[nodiscard]] Verdict judge(const Place& place) const;

 private:
  enum class Form : std::uint8_t { literal, token, jwt, bearer, pem, url, assigned, quoted };
  struct Trigger {
    std::string text;
    Form form;
    bool any_case = false;
    const TokenRule* token = nullptr;
    std::string_view kind = {};  // of a literal
  };
  void add(Trigger trigger);
  void add_literals();
  [[nodiscard]] static Verdict judge_one(const Place& place, const Trigger& trigger);

  std::vector<std::string> secrets_;
  std::vector<std::string> answers_;  // the latest first
  Prefixes prefixes_;
  std::vector<Trigger> triggers_;
  // Which triggers begin with three bytes, in the order in which they are asked.
  std::unordered_map<std::uint32_t, std::vector<std::uint16_t>> by_beginning_;
};

}  // namespace dragoman::redact
