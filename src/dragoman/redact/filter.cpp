// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/filter.hpp"

#include <algorithm>
#include <utility>

#include "dragoman/redact/rules.hpp"

namespace dragoman::redact {
namespace {

constexpr std::size_t kBehind = 8;  // as far as Place looks back
// A key block that does not end is left after so many bytes: more is no key.
constexpr std::uint64_t kLongestPem = 16 * 1024;
constexpr ByteSet kPemBytes =
    kAlnum | kBase64 | kDash | kColon | kSpace | kDot | kUnderscore | kReserved;

}  // namespace

class Filter::Scan {
 public:
  explicit Scan(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  void use(std::shared_ptr<const Rules> rules) { rules_ = std::move(rules); }

  std::string_view push(std::string_view bytes) {
    if (held_.empty()) return pass(bytes, false);
    work_.assign(held_).append(bytes);
    held_.clear();
    return pass(work_, false);
  }
  std::string_view finish() {
    work_.assign(std::exchange(held_, std::string()));
    const std::string_view rest = pass(work_, true);
    if (inside_) end_secret();
    return rest;
  }
  [[nodiscard]] std::size_t held() const { return held_.size(); }
  std::vector<Redaction> take_redactions() { return std::exchange(redactions_, {}); }

 private:
  std::string_view pass(std::string_view text, bool final);
  void begin_secret(std::string_view text, std::size_t copied, const Verdict& found);
  void end_secret() {
    redactions_.push_back(current_);
    inside_ = false;
  }
  // Where the secret that we are inside of ends in the text; it goes on if that is the end.
  std::size_t leave_secret(std::string_view text, std::size_t at, bool final);
  std::size_t leave_pem(std::string_view text, std::size_t at);
  void remember(std::string_view text);

  std::shared_ptr<const Rules> rules_;
  std::string held_;
  std::string work_;
  std::string out_;
  std::string behind_;
  std::uint64_t passed_on_ = 0;
  std::vector<Redaction> redactions_;
  bool inside_ = false;
  bool pem_ = false;
  unsigned pem_dashes_ = 0;
  unsigned pem_rules_ = 0;  // how many times five dashes were seen
  ByteSet goes_on_ = 0;
  Redaction current_;
};

void Filter::Scan::begin_secret(std::string_view text, std::size_t copied, const Verdict& found) {
  out_.append(text.substr(copied, found.begin - copied));
  current_ = {passed_on_ + out_.size(), found.length, found.kind};
  out_.append("[REDACTED:").append(found.kind).append("]");
  inside_ = true;
  goes_on_ = found.goes_on;
  pem_ = found.is_pem;
  pem_dashes_ = 0;
  pem_rules_ = 0;
}

std::size_t Filter::Scan::leave_pem(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool fits = is_in(c, kPemBytes) || c == '\n' || c == '\r' || c == '\\' || c == '"';
    if (!fits || current_.length >= kLongestPem) {
      end_secret();
      return at;
    }
    ++current_.length;
    pem_dashes_ = c == '-' ? pem_dashes_ + 1 : 0;
    if (pem_dashes_ == 5 && ++pem_rules_ == 2) {
      end_secret();
      return at + 1;
    }
  }
  return at;
}

std::size_t Filter::Scan::leave_secret(std::string_view text, std::size_t at, bool final) {
  if (pem_) return leave_pem(text, at);
  while (at < text.size()) {
    const bool slash = text[at] == '\\' && is_in('/', goes_on_);
    if (slash && at + 1 == text.size() && !final) return at;  // perhaps an escaped slash
    if (slash && at + 1 < text.size() && text[at + 1] == '/') {
      at += 2;
      current_.length += 2;
    } else if (is_in(text[at], goes_on_)) {
      ++at;
      ++current_.length;
    } else {
      end_secret();
      return at;
    }
  }
  if (goes_on_ == 0) end_secret();
  return at;
}

void Filter::Scan::remember(std::string_view text) {
  if (text.size() >= kBehind) {
    behind_.assign(text.substr(text.size() - kBehind));
  } else {
    behind_.append(text);
    if (behind_.size() > kBehind) behind_.erase(0, behind_.size() - kBehind);
  }
}

std::string_view Filter::Scan::pass(std::string_view text, bool final) {
  out_.clear();
  std::size_t at = 0;
  std::size_t copied = 0;  // what lies before it is in out_, or was redacted
  std::size_t until = text.size();
  bool whole = true;  // nothing was taken out of the text
  if (inside_) {
    copied = at = leave_secret(text, 0, final);
    whole = at == 0;
    if (inside_) until = at;
  }
  while (!inside_ && at < text.size()) {
    const char* const candidate = rules_->find(text.data() + at, text.data() + text.size());
    at = static_cast<std::size_t>(candidate - text.data());
    if (at == text.size()) break;
    const Verdict found = rules_->judge({text, at, behind_, final});
    if (found.answer == Verdict::Answer::more) {
      until = at;
      break;
    }
    if (found.answer == Verdict::Answer::no) {
      ++at;
      continue;
    }
    whole = false;
    begin_secret(text, copied, found);
    copied = at = leave_secret(text, found.begin + found.length, final);
    if (inside_) until = at;
  }
  held_.assign(text.substr(until));
  remember(text.substr(0, until));
  if (whole) {
    passed_on_ += until;
    return text.substr(0, until);
  }
  if (until > copied) out_.append(text.substr(copied, until - copied));
  passed_on_ += out_.size();
  return out_;
}

Filter::Filter(std::shared_ptr<const Rules> rules)
    : scan_(std::make_unique<Scan>(std::move(rules))) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

void Filter::use(std::shared_ptr<const Rules> rules) { scan_->use(std::move(rules)); }
std::string_view Filter::push(std::string_view bytes) { return scan_->push(bytes); }
std::string_view Filter::finish() { return scan_->finish(); }
std::size_t Filter::held() const { return scan_->held(); }
std::vector<Redaction> Filter::take_redactions() { return scan_->take_redactions(); }

std::string redacted(std::string_view text, const std::shared_ptr<const Rules>& rules) {
  Filter filter(rules);
  std::string out(filter.push(text));
  out += filter.finish();
  return out;
}

}  // namespace dragoman::redact
