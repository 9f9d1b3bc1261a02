// SPDX-License-Identifier: Apache-2.0
// What a filter does with the plain text of its stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dragoman/redact/filter.hpp"
#include "dragoman/redact/key_block.hpp"
#include "dragoman/redact/rules.hpp"
#include "dragoman/redact/undress.hpp"

namespace dragoman::redact {

class Filter::Scan {
 public:
  explicit Scan(std::shared_ptr<const Rules> rules) : rules_(std::move(rules)) {}

  void use(std::shared_ptr<const Rules> rules) { rules_ = std::move(rules); }

  std::string_view push(std::string_view bytes);
  std::string_view finish();
  [[nodiscard]] std::size_t held() const { return held_bytes_ + undress_.held(); }
  std::vector<Redaction> take_redactions() { return std::exchange(redactions_, {}); }

 private:
  std::string_view pass(std::string_view text, bool final);
  [[nodiscard]] Verdict first_secret(std::string_view text, std::size_t at, bool final) const;
  std::string_view keep_rest(std::string_view text, std::size_t copied, std::size_t until,
                             bool final);
  void begin_secret(std::string_view text, std::size_t copied, const Verdict& found);
  void end_secret() {
    redactions_.push_back(current_);
    inside_ = false;
    inside_rules_.reset();
  }
  // Where the secret that we are inside of ends. It may go on when more comes.
  struct End {
    std::size_t at = 0;
    bool certain = false;
  };
  // `from`: where the secret, or its rest, begins; the bytes before `at` are known to be of it.
  std::size_t leave_secret(std::string_view text, std::size_t from, std::size_t at, bool final);
  End end_of_bytes(std::string_view text, std::size_t at, bool final) const;
  // The piece of a wrapped token behind it; `at` moves to where to search on.
  Verdict look_behind_token(std::string_view text, std::size_t& at, bool final);
  End end_of_value(std::string_view text, std::size_t at);
  // Writes the text from `from` on, up to `to`, in its dress.
  void put(std::string_view text, std::size_t from, std::size_t to);
  void put_dress(const Dress& dress);
  // How many bytes of the stream that text is. A colour at its end does not belong to it.
  std::size_t drop(std::size_t from, std::size_t to);
  // The place itself, or the beginning or the end of the letter that it is in the middle of.
  [[nodiscard]] std::size_t letter_begin(std::size_t at) const;
  [[nodiscard]] std::size_t letter_end(std::size_t at) const;
  void remember(std::string_view text);

  std::shared_ptr<const Rules> rules_;
  Undress undress_;
  std::string held_;  // plain text, with its dresses in dresses_
  std::size_t held_bytes_ = 0;
  std::vector<Dress> dresses_;  // of held_ and of the text that is passed
  std::size_t next_dress_ = 0;
  std::string work_;
  std::string out_;
  std::string behind_;
  std::uint64_t passed_on_ = 0;
  std::vector<Redaction> redactions_;
  bool inside_ = false;
  Verdict goes_on_;  // how the secret that we are inside of, or were last, goes on
  enum class Line : std::uint8_t { same, next, any };
  Line line_ = Line::any;  // same, next: a token has just ended, and this is where we are
  std::size_t indent_ = 0;
  KeyBlock key_block_;
  std::shared_ptr<const Rules> inside_rules_;  // who owns the value that we are inside of
  Redaction current_;
};

}  // namespace dragoman::redact
