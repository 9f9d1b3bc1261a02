// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/pattern.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/utf8.hpp"

namespace dragoman::schema {
namespace {

constexpr std::size_t kLongestPattern = 64 * 1024;

// White space and line ends of ECMA-262, which knows more of them than RE2. Without brackets, for
// use inside a class.
constexpr std::string_view kSpaces = R"(\t\n\x0b\f\r \x{a0}\x{feff}\p{Z})";
constexpr std::string_view
    kNotSpaces =  // its complement, as far as \p can be complemented in a class
    R"(\x00-\x08\x0e-\x1f\x21-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kDot = R"([^\n\r\x{2028}\x{2029}])";

// Unicode properties by the long names ECMA-262 allows; RE2 wants the short ones.
struct LongName {
  std::string_view name;
  std::string_view code;
};
constexpr std::array<LongName, 20> kLongNames = {{
    {"Letter", "L"},
    {"Lowercase_Letter", "Ll"},
    {"Uppercase_Letter", "Lu"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"Control", "Cc"},
    {"Format", "Cf"},
}};

std::string_view property_code(std::string_view name) {
  for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  for (const LongName& known : kLongNames) {
    if (known.name == name) return known.code;
  }
  return name;
}

// Rewrites an expression from front to back. Everything not named here means the same in both.
class Translator {
 public:
  explicit Translator(std::string_view in) : in_(in) {}

  Result<std::string> run() {
    while (at_ < in_.size() && why_.empty()) step();
    if (why_.empty() && in_class_) why_ = "unclosed character class";
    if (!why_.empty()) return Error{code_, why_};
    return std::move(out_);
  }

 private:
  void step() {
    const char c = in_[at_];
    if (c == '\\') {
      escape();
    } else if (in_class_) {
      in_class_ = c != ']';
      if (c == '[') out_.push_back('\\');  // RE2 would look for [:alpha:]
      copy(1);
    } else if (c == '[') {
      open_class();
    } else if (c == '.') {
      out_.append(kDot);
      ++at_;
    } else if (c == '(' && in_.substr(at_).starts_with("(?")) {
      group();
    } else {
      copy(1);
    }
  }

  void open_class() {
    const std::string_view rest = in_.substr(at_);
    if (rest.starts_with("[^]")) {
      out_.append("(?s:.)");
      at_ += 3;
    } else if (rest.starts_with("[]")) {
      out_.append(R"([^\x00-\x{10ffff}])");
      at_ += 2;
    } else {
      copy(rest.starts_with("[^") ? 2 : 1);
      in_class_ = true;
    }
  }

  void group() {
    const std::string_view rest = in_.substr(at_);
    if (rest.starts_with("(?:")) {
      copy(3);
    } else if (rest.starts_with("(?<") && !rest.starts_with("(?<=") && !rest.starts_with("(?<!")) {
      out_.append("(?P<");
      at_ += 3;
    } else {
      lack("look-around is not supported");
    }
  }

  void escape() {
    if (at_ + 1 >= in_.size()) {
      why_ = "ends in a backslash";
      return;
    }
    const char c = in_[at_ + 1];
    switch (c) {
      case 's':
        return replace(2, in_class_ ? std::string(kSpaces) : fmt::format("[{}]", kSpaces));
      case 'S':
        return replace(2, in_class_ ? std::string(kNotSpaces) : fmt::format("[^{}]", kSpaces));
      case 'u':
        return unicode_escape();
      case 'c':
        return control_escape();
      case 'p':
      case 'P':
        return property();
      case '0':
        return replace(2, R"(\x00)");
      case 'b':
        return in_class_ ? replace(2, R"(\x08)") : copy(2);
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 'B':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case 'x':
        return copy(2);
      default:
        return identity_escape(c);
    }
  }

  void identity_escape(char c) {
    if (c >= '1' && c <= '9') {
      lack("back-references are not supported");
    } else if (ascii::is_letter(c)) {
      why_ = fmt::format("unknown escape \\{}", c);
    } else {
      copy(2);
    }
  }

  std::optional<unsigned> hex4(std::size_t from) const {
    if (from + 4 > in_.size()) return std::nullopt;
    unsigned value = 0;
    for (const char c : in_.substr(from, 4)) {
      const int digit = ascii::hex_value(c);
      if (digit < 0) return std::nullopt;
      value = value * 16 + static_cast<unsigned>(digit);
    }
    return value;
  }

  void unicode_escape() {
    if (in_.substr(at_).starts_with("\\u{")) return replace(3, "\\x{");
    const auto first = hex4(at_ + 2);
    if (!first) {
      why_ = "broken \\u escape";
      return;
    }
    if (*first >= 0xd800 && *first < 0xdc00 && in_.substr(at_ + 6).starts_with("\\u")) {
      if (const auto second = hex4(at_ + 8); second && *second >= 0xdc00 && *second < 0xe000) {
        const unsigned point = 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00);
        return replace(12, fmt::format("\\x{{{:x}}}", point));
      }
    }
    replace(6, fmt::format("\\x{{{:x}}}", *first));
  }

  void control_escape() {
    const char letter = at_ + 2 < in_.size() ? in_[at_ + 2] : '\0';
    if (!ascii::is_letter(letter)) {
      why_ = "broken \\c escape";
      return;
    }
    replace(3, fmt::format("\\x{:02x}", static_cast<unsigned>(letter) % 32));
  }

  void property() {
    const std::size_t close = in_.find('}', at_);
    if (at_ + 2 >= in_.size() || in_[at_ + 2] != '{' || close == std::string_view::npos) {
      why_ = "broken \\p escape";
      return;
    }
    const std::string_view name = in_.substr(at_ + 3, close - at_ - 3);
    replace(close + 1 - at_, fmt::format("\\{}{{{}}}", in_[at_ + 1], property_code(name)));
  }

  // Legal in ECMA-262, but beyond RE2.
  void lack(std::string_view why) {
    why_ = why;
    code_ = ErrorCode::unsupported;
  }
  void copy(std::size_t count) {
    out_.append(in_.substr(at_, count));
    at_ += count;
  }
  void replace(std::size_t count, std::string_view by) {
    out_.append(by);
    at_ += count;
  }

  std::string_view in_;
  std::string out_;
  std::string why_;
  ErrorCode code_ = ErrorCode::validation;
  std::size_t at_ = 0;
  bool in_class_ = false;
};

}  // namespace

Result<std::string> ecma_to_re2(std::string_view ecma) { return Translator(ecma).run(); }

Result<Pattern> Pattern::compile(std::string_view ecma) {
  const auto refused = [&](ErrorCode code, std::string_view why) {
    return Error{code, fmt::format("pattern '{}': {}", utf8::prefix(ecma, 60), why)};
  };
  if (ecma.size() > kLongestPattern) return refused(ErrorCode::unsupported, "longer than 64 KiB");
  const auto translated = ecma_to_re2(ecma);
  if (!translated) return refused(translated.error().code, translated.error().message);
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto program = std::make_shared<const re2::RE2>(*translated, options);
  if (!program->ok()) {
    const auto why = program->error_code();
    const bool too_large =
        why == re2::RE2::ErrorRepeatSize || why == re2::RE2::ErrorPatternTooLarge;
    return refused(too_large ? ErrorCode::unsupported : ErrorCode::validation, program->error());
  }
  return Pattern(std::move(program));
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *program_);
}

}  // namespace dragoman::schema
