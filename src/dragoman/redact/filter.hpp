// SPDX-License-Identifier: Apache-2.0
// Takes secrets out of a stream of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::redact {

struct Redaction {
  std::uint64_t offset = 0;  // in the redacted stream, where "[REDACTED:kind]" begins
  std::uint64_t length = 0;  // how many bytes it stands for
  std::string_view kind;     // "anthropic_key", "jwt", "environment", …: of static storage

  friend bool operator==(const Redaction&, const Redaction&) = default;
};

// What is looked for. Build it once; any number of filters on any threads share it.
class Rules;
// `secrets` are values that must not appear whatever they look like (of environment variables,
// say): as they are and JSON-escaped, up to three times. Shorter than 8 bytes they are ignored, too
// many words would match; at most 256 are taken. One is found by its first 4096 bytes; what follows
// goes too, as far as it is the value.
[[nodiscard]] std::shared_ptr<const Rules> make_rules(const std::vector<std::string>& secrets = {});
// The same, and an answer that somebody gave in confidence, as one more such value: the kind
// "answer". However many there are, the latest is taken.
[[nodiscard]] std::shared_ptr<const Rules> with_answer(const Rules& rules, std::string_view answer);

// Every kind there is, for documents and tests.
[[nodiscard]] std::vector<std::string_view> kinds();

// Laws: push("ab") equals push("a"), push("b"): how the stream is cut does not matter. Bytes that
// cannot belong to a secret any more are passed on at once; at most kMaxHeld are held back, and
// only when the stream ends in what may become one. Time is linear in the bytes.
//
// What terminals do not show, and letters spelled as \u0067, are looked through: they hide nothing,
// and what is passed on keeps them.
class Filter {
 public:
  static constexpr std::size_t kMaxHeld =
      128 * 1024;  // of the longest value, each letter in colour

  explicit Filter(std::shared_ptr<const Rules> rules);
  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  // From here on these rules, also for what is held back.
  void use(std::shared_ptr<const Rules> rules);

  // What may be passed on of everything so far. Valid until the next call, and as long as `bytes`.
  [[nodiscard]] std::string_view push(std::string_view bytes);
  // The end of the stream: the rest. (Also where a pause makes holding back worse than a cut: a
  // secret that goes on afterwards is not recognised.)
  [[nodiscard]] std::string_view finish();

  [[nodiscard]] std::size_t held() const;
  // Those that are complete and were not asked for yet.
  [[nodiscard]] std::vector<Redaction> take_redactions();

 private:
  class Scan;
  std::unique_ptr<Scan> scan_;
};

// Whether there may be a secret in the text: quick, and seldom wrong.
[[nodiscard]] bool may_hold_secret(std::string_view text, const Rules& rules);

// One text in one go.
[[nodiscard]] std::string redacted(std::string_view text,
                                   const std::shared_ptr<const Rules>& rules);

}  // namespace dragoman::redact
