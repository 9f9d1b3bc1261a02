// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman {
namespace {

constexpr std::size_t kLongestAnswer = 1 << 20;

struct GrantWord {
  std::string_view word;
  Grant grant;
};
constexpr std::array<GrantWord, 9> kGrantWords = {{{"y", Grant::allow_once},
                                                   {"yes", Grant::allow_once},
                                                   {"ok", Grant::allow_once},
                                                   {"allow", Grant::allow_once},
                                                   {"session", Grant::allow_session},
                                                   {"always", Grant::allow_always},
                                                   {"n", Grant::deny},
                                                   {"no", Grant::deny},
                                                   {"deny", Grant::deny}}};
// The shortest of each, in the order in which they are offered.
constexpr std::array<GrantWord, 4> kOfferedWords = {{{"y", Grant::allow_once},
                                                     {"n", Grant::deny},
                                                     {"session", Grant::allow_session},
                                                     {"always", Grant::allow_always}}};

Error refused(std::string why) { return {ErrorCode::validation, std::move(why), "bad_value"}; }

bool takes_text(const KeptQuestion& question) {
  return question.free_text || question.options.empty();
}

// A carriage return before a line end is part of it. A byte that is no UTF-8 may be a control of
// eight bits.
bool has_control(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const utf8::CodePoint c = utf8::first(rest);
    const bool line_end = rest.starts_with('\n') || rest.starts_with("\r\n");
    if (!c.valid || c.value == 0x7F || (c.value >= 0x80 && c.value < 0xA0)) return true;
    if (c.value < 0x20 && c.value != '\t' && !line_end) return true;
    rest.remove_prefix(c.length);
  }
  return false;
}

// What no answer may be, whatever the question is.
std::optional<Error> unfit(const KeptQuestion& question, std::string_view text) {
  if (text.size() > kLongestAnswer) return refused("an answer has at most 1 MiB");
  if (has_control(text)) {
    return refused(fmt::format("an answer is text without control characters; answer with {}",
                               what_would_do(question)));
  }
  if (ascii::trimmed(text).empty()) {
    return refused(fmt::format("an answer is empty; answer with {}", what_would_do(question)));
  }
  return std::nullopt;
}

// "1, 3" as numbers; empty when it is anything else.
std::vector<std::size_t> numbers_in(std::string_view text) {
  std::vector<std::size_t> out;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view word = ascii::trimmed(text.substr(0, comma));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || end != word.data() + word.size()) return {};
    // Too many digits, or a sign, is still a number, and out of range.
    const bool counts = error == std::errc() && number >= 0;
    out.push_back(counts ? static_cast<std::size_t>(number) : SIZE_MAX);
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::size_t option_named(const KeptQuestion& question, std::string_view label) {
  const auto& options = question.options;
  auto named = std::ranges::find(options, label, &Choice::label);
  if (named == options.end()) {
    named = std::ranges::find_if(options, [label](const Choice& choice) {
      return ascii::same_letters(choice.label, label);
    });
  }
  return named == options.end() ? 0 : static_cast<std::size_t>(named - options.begin()) + 1;
}

std::optional<Grant> grant_named(std::string_view word) {
  const auto found = std::ranges::find_if(kGrantWords, [word](const GrantWord& known) {
    return ascii::same_letters(known.word, word);
  });
  if (found == kGrantWords.end()) return std::nullopt;
  return found->grant;
}

// The first option that grants it; 0: none. To deny is the same whichever option does it; of two
// that allow, the user has to say which.
std::size_t option_granting(const KeptQuestion& question, Grant grant) {
  const auto grants = question.grants();
  const auto first = std::ranges::find(grants, std::optional(grant));
  if (first == grants.end()) return 0;
  const bool one = std::find(first + 1, grants.end(), std::optional(grant)) == grants.end();
  return one || grant == Grant::deny ? static_cast<std::size_t>(first - grants.begin()) + 1 : 0;
}

// Where both labels stand, so that "y" is no guess.
std::size_t option_yes_or_no(const KeptQuestion& question, std::string_view word) {
  const std::size_t yes = option_named(question, "Yes");
  const std::size_t no = option_named(question, "No");
  if (yes == 0 || no == 0) return 0;
  if (ascii::same_letters(word, "y")) return yes;
  return ascii::same_letters(word, "n") ? no : 0;
}

Answer denial(const KeptQuestion& question, std::string_view reason) {
  Answer answer;
  if (const std::size_t option = option_granting(question, Grant::deny); option != 0) {
    answer.options.push_back(option);
  }
  for (const char c : reason) {
    if (c != '\r') answer.text.push_back(c);
  }
  return answer;
}

// "no: use npm instead", and why it is to be denied; empty where it is anything else.
std::string_view reason_in(std::string_view typed) {
  const std::size_t mark = typed.find_first_of(",:");
  if (mark == std::string_view::npos) return {};
  const auto grant = grant_named(ascii::trimmed(typed.substr(0, mark)));
  return grant == Grant::deny ? ascii::trimmed(typed.substr(mark + 1)) : std::string_view();
}

// An option by its word or label; 0: it is none. A word that means something is never taken for the
// label of an option that does something else: agents name their options as they like.
std::size_t option_meant(const KeptQuestion& question, std::string_view words) {
  if (!question.permission()) {
    const std::size_t labelled = option_named(question, words);
    return labelled != 0 ? labelled : option_yes_or_no(question, words);
  }
  if (const auto grant = grant_named(words)) return option_granting(question, *grant);
  const std::size_t labelled = option_named(question, words);
  const bool denies = labelled != 0 && question.grants()[labelled - 1] == Grant::deny;
  return !denies && !reason_in(words).empty() ? 0 : labelled;
}

Result<Answer> decide(const KeptQuestion& question, std::string_view words) {
  if (const std::string_view reason = reason_in(words); !reason.empty()) {
    if (takes_text(question)) return denial(question, reason);
    return refused(fmt::format("no reason can be given; answer with {}", what_would_do(question)));
  }
  // An agent that offers no way to deny is denied all the same.
  if (grant_named(words) == Grant::deny) return denial(question, "");
  return refused(
      fmt::format("that neither allows nor denies it; answer with {}", what_would_do(question)));
}

}  // namespace

std::string what_would_do(const KeptQuestion& question) {
  std::string out;
  const auto add = [&out](std::string_view words) {
    if (!out.empty()) out += ", ";
    out += words;
  };
  const bool permission = question.permission();
  if (permission) {
    for (const auto& [word, grant] : kOfferedWords) {
      if (grant == Grant::deny || option_granting(question, grant) != 0) add(word);
    }
  }
  if (!question.options.empty()) add(fmt::format("1 to {}", question.options.size()));
  if (question.multi_select && !question.options.empty()) add("several with commas between");
  if (permission && takes_text(question)) {
    out += ", or \"no: \" and the reason";
  } else if (takes_text(question)) {
    out += out.empty() ? "some text" : ", or text of your own";
  }
  return out;
}

Result<Answer> chosen_answer(const KeptQuestion& question, std::vector<std::size_t> options,
                             std::string_view reason) {
  std::ranges::sort(options);
  options.erase(std::unique(options.begin(), options.end()), options.end());
  if (options.empty()) return refused("an answer is empty");
  if (options.size() > 1 && !question.multi_select) {
    return refused(fmt::format("only one can be chosen; answer with {}", what_would_do(question)));
  }
  for (const std::size_t number : options) {
    if (number >= 1 && number <= question.options.size()) continue;
    const std::string which = number == SIZE_MAX ? "such option" : fmt::format("option {}", number);
    return refused(fmt::format("there is no {}; answer with {}", which, what_would_do(question)));
  }
  Answer answer{std::move(options), {}};
  if (reason.empty()) return answer;
  if (auto error = unfit(question, reason)) return *std::move(error);
  if (!takes_text(question) || decision_of(question, answer) != Grant::deny)
    return refused("a reason can only be given for a denial");
  answer.text = denial(question, reason).text;
  return answer;
}

Result<Answer> literal_answer(const KeptQuestion& question, std::string_view text) {
  if (auto error = unfit(question, text)) return *std::move(error);
  if (!takes_text(question)) {
    return refused(
        fmt::format("that is not one of the options; answer with {}", what_would_do(question)));
  }
  if (!question.permission()) return Answer{{}, std::string(text)};
  const std::string_view words = ascii::trimmed(text);
  const auto named = grant_named(words);
  const std::size_t option = option_meant(question, words);
  const bool allows = (named && *named != Grant::deny) ||
                      (option != 0 && question.grants()[option - 1] != Grant::deny);
  if (allows || !numbers_in(words).empty()) {
    return refused(
        fmt::format("that is no reason to deny it; answer with {}", what_would_do(question)));
  }
  const bool bare = option != 0 || named == Grant::deny;
  return denial(question, bare ? std::string_view() : text);
}

Result<Answer> read_answer(const KeptQuestion& question, std::string_view typed) {
  const std::string_view words = ascii::trimmed(typed);
  if (auto error = unfit(question, words)) return *std::move(error);
  if (!question.options.empty()) {
    if (auto numbers = numbers_in(words); !numbers.empty()) {
      return chosen_answer(question, std::move(numbers));
    }
    if (const std::size_t number = option_meant(question, words); number != 0) {
      return Answer{{number}, {}};
    }
  }
  return question.permission() ? decide(question, words) : literal_answer(question, words);
}

Result<Answer> read_reply(const KeptQuestion& question, const Reply& reply) {
  if (reply.meant) {
    const auto is_none = [&](std::size_t number) {
      return number == 0 || number > question.options.size();
    };
    if (!std::ranges::any_of(reply.meant->options, is_none)) return *reply.meant;
    return chosen_answer(question, reply.meant->options);  // says why
  }
  if (reply.options) return chosen_answer(question, *reply.options, reply.text.value_or(""));
  if (reply.text) return literal_answer(question, *reply.text);
  return read_answer(question, reply.typed.value_or(""));
}

std::string answer_words(const KeptQuestion& question, const Answer& answer) {
  if (answer.options.empty() || !answer.text.empty()) return answer.text;
  std::string out;
  for (const std::size_t number : answer.options) {
    if (!out.empty()) out += ", ";
    out += question.options[number - 1].label;
  }
  return out;
}

std::optional<Grant> decision_of(const KeptQuestion& question, const Answer& answer) {
  const auto grants = question.grants();
  if (grants.empty()) return std::nullopt;
  if (answer.options.size() != 1) return Grant::deny;
  return grants[answer.options.front() - 1].value_or(Grant::deny);
}

}  // namespace dragoman
