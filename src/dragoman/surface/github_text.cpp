// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/github_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/hidden.hpp"
#include "dragoman/base/utf8.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/show/neutral.hpp"

namespace dragoman::surface {
namespace {

struct Reaction {
  std::string_view content;
  std::string_view emoji;
};
constexpr std::array<Reaction, 8> kReactions = {{{"+1", "👍"},
                                                 {"-1", "👎"},
                                                 {"laugh", "😄"},
                                                 {"hooray", "🎉"},
                                                 {"confused", "😕"},
                                                 {"heart", "❤️"},
                                                 {"rocket", "🚀"},
                                                 {"eyes", "👀"}}};

constexpr std::size_t kTextShown = 20'000;
constexpr std::size_t kLabelShown = 300;
constexpr std::size_t kOptionsShown = 60;

std::string_view sign_of(const Message& message) {
  if (message.denied) return "🚫";
  if (!message.open) return message.answered ? "✅" : "⏹️";
  switch (message.topic) {
    case Topic::question:
      return "❓";
    case Topic::blocked:
      return "⛔";
    case Topic::failure:
      return "❌";
    case Topic::completion:
    case Topic::progress:
      return "⏳";
  }
  return "";
}

void put_options(std::string& out, const Message& message, std::size_t room) {
  const bool reacts = !message.asked.multi_select &&
                      message.asked.options.size() <= kReactions.size() && !message.asked.secret &&
                      message.open;
  const std::size_t shown = std::min(message.asked.options.size(), kOptionsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    out += fmt::format("{}. ", i + 1);
    if (reacts) out.append(kReactions[i].emoji).append(" ");
    const std::string label = one_line_of(message.asked.options[i].label, room);
    out.append("**");
    show::append_markdown(out, label.empty() ? fmt::format("option {}", i + 1) : label);
    out.append("**");
    if (!message.asked.options[i].description.empty()) {
      out.append(" — ");
      show::append_markdown(out, one_line_of(message.asked.options[i].description, room));
    }
    out.push_back('\n');
  }
  if (shown < message.asked.options.size())
    out += fmt::format("\n… and {} more options\n", message.asked.options.size() - shown);
  if (shown > 0) out.push_back('\n');
}

void put_instructions(std::string& out, const Message& message) {
  if (message.asked.secret) {
    out += fmt::format("The answer is a secret: give it with `dragoman answer`, not here.\n");
    return;
  }
  if (message.takes_reason()) {
    out += fmt::format(
        "Answer with a comment: `y`, `n`, a number (`1`), `no: ` and the reason, or "
        "`/answer {} n`{}.\n",
        message.ref,
        message.asked.options.size() <= kReactions.size() ? ", or with a reaction" : "");
  } else if (!message.asked.options.empty()) {
    out +=
        fmt::format("Answer with a comment: {}, a label, or `/answer {} {}`{}.\n",
                    message.asked.multi_select ? "numbers (`1,3`)" : "a number (`1`)", message.ref,
                    message.asked.free_text ? "your words" : "1",
                    !message.asked.multi_select && message.asked.options.size() <= kReactions.size()
                        ? ", or with a reaction"
                        : "");
  } else {
    out += fmt::format("Answer with a comment: `/answer {} your words`.\n", message.ref);
  }
}

// Whether it cannot be seen. Line ends, tabs and controls are somebody's bytes and stay.
bool unseen(char32_t c, const utf8::Around& around) {
  return c >= 0xA0 && utf8::is_hidden(c, around);
}

bool is_ref(std::string_view word) {
  return word.size() == 13 && word[0] == 'q' &&
         word.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

std::optional<Reply> read_command(std::string_view text) {
  text.remove_prefix(std::string_view("/answer").size());
  if (text.empty() || (text[0] != ' ' && text[0] != '\t')) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view ref = text.substr(0, text.find_first_of(" \t\r\n"));
  if (!is_ref(ref)) return std::nullopt;
  text.remove_prefix(ref.size());
  if (text.starts_with("\r\n")) {
    text.remove_prefix(2);
  } else if (!text.empty()) {
    text.remove_prefix(1);
  }
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return Reply{std::string(ref), std::string(text)};
}

// Without the lines that quote somebody.
std::string own_words(const std::string& text) {
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (!ascii::trimmed(line).starts_with('>')) out.append(line).push_back('\n');
  }
  return std::string(ascii::trimmed(out));
}

// What a comment without a command answers to this question; empty: nothing. Free words are talk.
std::string answer_in(const Message& message, const std::string& words) {
  if (const auto answer = read_answer(message.asked, words); answer && !answer->options.empty()) {
    const bool plain = answer->options.size() == 1 && answer->text.empty();
    return plain ? std::to_string(answer->options.front()) : words;
  }
  if (message.asked.permission()) return {};
  for (std::size_t i = 0; i < message.asked.options.size(); ++i) {
    if (ascii::same_letters(ascii::trimmed(message.asked.options[i].label), words))
      return std::to_string(i + 1);
  }
  return {};
}

}  // namespace

std::size_t github_option(std::string_view reaction) {
  const auto found = std::ranges::find(kReactions, reaction, &Reaction::content);
  return found == kReactions.end() ? 0 : static_cast<std::size_t>(found - kReactions.begin()) + 1;
}

std::string github_comment(const Message& message) {
  for (std::size_t room = kTextShown;; room /= 2) {
    std::string out = fmt::format("**{} ", sign_of(message));
    show::append_markdown(out, one_line_of(message.title, kLabelShown));
    out += fmt::format("** · `{}`\n\n", message.ref);
    if (!message.text.empty()) {
      show::append_fenced(out, shortened(message.text, room), "text");
      out.push_back('\n');
    }
    if (!message.asked.context.empty() && message.open) {
      std::string context;
      for (const auto& line : message.asked.context) context.append(line).push_back('\n');
      out.append("<details><summary>Context</summary>\n\n");
      show::append_fenced(out, shortened(context, room / 2), "text");
      out.append("\n</details>\n\n");
    }
    put_options(out, message, std::clamp<std::size_t>(room / 64, 8, kLabelShown));
    if (message.asks()) put_instructions(out, message);
    if (!message.outcome.empty()) {
      out.append("**");
      show::append_markdown(out, message.outcome);
      out.append("**\n");
    }
    if (!message.task_id.empty()) {
      out.append("\n<sub>run ");
      show::append_code_span(out, one_line_of(message.task_id, 100));
      out.append("</sub>\n");
    }
    if (utf8::count(out) <= kGithubLongest || room < 100) return out;
  }
}

std::string github_body(const Message& message) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("body").string(github_comment(message)).end_object();
  return out;
}

std::string visible_text(std::string_view markdown) {
  std::string without;
  while (!markdown.empty()) {
    const std::size_t open = markdown.find("<!--");
    without.append(markdown.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = markdown.find("-->", open + 4);
    if (close == std::string_view::npos) break;  // an open comment hides everything behind it
    markdown.remove_prefix(close + 3);
  }
  std::string out;
  std::string_view rest = without;
  char32_t before = 0;
  while (!rest.empty()) {
    const utf8::CodePoint c = utf8::first(rest);
    const std::string_view behind = rest.substr(c.length);
    const char32_t after = behind.empty() ? 0 : utf8::first(behind).value;
    if (!c.valid || !unseen(c.value, {before, after})) out.append(rest.substr(0, c.length));
    before = c.value;
    rest = behind;
  }
  return out;
}

std::optional<Reply> read_reply(std::string_view comment, const std::vector<Shown>& open) {
  const std::string seen = visible_text(comment);
  const std::size_t start = std::min(seen.find_first_not_of(" \t\r\n"), seen.size());
  if (const std::string_view text = std::string_view(seen).substr(start);
      text.starts_with("/answer"))
    return read_command(text);
  const std::string words = own_words(seen);
  if (words.empty() || words.find('\n') != std::string::npos) return std::nullopt;
  if (words.find_first_not_of("0123456789, ") == std::string::npos) return Reply{"", words};
  std::optional<Reply> found;
  for (const Shown& shown : open) {
    std::string answer = answer_in(shown.message, words);
    if (answer.empty()) continue;
    if (found) return Reply{"", words};
    found = Reply{shown.message.ref, std::move(answer)};
  }
  return found;
}

}  // namespace dragoman::surface
