// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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
  // Whether what was found is more than three bytes by chance.
  [[nodiscard]] bool may_begin(std::string_view rest) const;
  // Whether the text has a beginning of anything that is looked for.
  [[nodiscard]] bool may_hold(std::string_view text) const;
  // What begins there. The first rule that does not say no decides, so that the answer does not
  // depend on how much of the text is there already.
  [[nodiscard]] Verdict judge(const Place& place) const;

 private:
  enum class Form : std::uint8_t {
    literal,
    token,
    jwt,
    bearer,
    basic,
    pem,
    url,
    telegram,
    discord,
    signature,
    bot,
    user,
    cookie,
    quoted_name,
    named,
  };
  struct Trigger {
    std::string text;
    Form form;
    bool any_case = false;
    const TokenRule* token = nullptr;
    std::string_view kind = {};  // of a literal
  };
  struct Slot {
    std::uint32_t key = 0;
    std::uint32_t first = 0;  // in numbered_
    std::uint32_t count = 0;
  };
  void add(Trigger trigger);
  void add_literals();
  void add_tokens();
  void index();
  [[nodiscard]] std::size_t slot_of(std::uint32_t key) const {
    return (key * 0x9E3779B1U >> 8U) & (slots_.size() - 1);
  }
  [[nodiscard]] const Slot& slot_at(const char* bytes) const;
  [[nodiscard]] static std::string_view head_of(const Trigger& trigger);
  // A trigger that has been found there.
  [[nodiscard]] static Verdict judge_one(const Place& place, const Trigger& trigger);

  std::vector<std::string> secrets_;
  std::vector<std::string> answers_;  // the latest first
  Prefixes prefixes_;
  std::vector<Trigger> triggers_;
  // The triggers by their beginnings, those of one beginning in the order in which they are asked.
  struct Numbered {
    std::uint32_t key = 0;
    std::uint16_t number = 0;
    char fourth = '\0';  // its fourth byte, which tells most of them apart; 0: it has none

    // A small letter fits a capital one too: few are compared in vain.
    [[nodiscard]] bool may_fit(std::string_view rest) const {
      return fourth == '\0' || rest.size() < 4 || ((rest[3] ^ fourth) & ~0x20) == 0;
    }
  };
  std::vector<Numbered> numbered_;
  std::vector<Slot> slots_;
};

}  // namespace dragoman::redact
