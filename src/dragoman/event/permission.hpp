// SPDX-License-Identifier: Apache-2.0
// Permissions: what is asked for, kept beyond the event that asked, and how one was decided.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/arena.hpp"
#include "dragoman/event/payloads.hpp"

namespace dragoman {

// What an agent wants, as a value. Copies share the bytes, which never change.
class KeptWants {
 public:
  KeptWants() = default;
  explicit KeptWants(const std::optional<Wants>& wants);
  // From the JSON of write(); what is not that is nothing.
  [[nodiscard]] static KeptWants read(std::string_view json);

  // Valid as long as this one or a copy of it is.
  [[nodiscard]] const std::optional<Wants>& get() const { return wants_; }
  [[nodiscard]] bool empty() const { return !wants_.has_value(); }
  // As in the canonical line of an event.
  [[nodiscard]] std::string write() const;

  friend bool operator==(const KeptWants& a, const KeptWants& b) { return a.write() == b.write(); }

 private:
  std::shared_ptr<const Arena> bytes_;
  std::optional<Wants> wants_;
};

// The question without what stands beside it: "Allow Bash?" where the command is shown by itself.
[[nodiscard]] std::string sentence_of(std::string_view text, const std::optional<Wants>& wants);
// Said where what is wanted is not told in full.
inline constexpr std::string_view kCutNote = "(too long: something is missing here)";
// For a place that has nothing but text: the sentence, and the command on lines of its own.
[[nodiscard]] std::string text_with_command(std::string_view text,
                                            const std::optional<Wants>& wants);

// What each option grants, where an agent of old did not say it: "Allow" and "Deny" were all there
// were. Empty where the labels are others.
[[nodiscard]] std::span<const Grant> grants_of_old(std::span<const std::string_view> labels);

// How a permission was decided; absent for any other question, and while it is open.
struct Decision {
  Grant grant = Grant::deny;
  std::string reason;  // of a denial, where one was given
};
[[nodiscard]] std::optional<Decision> decision_in(const Question& question);

// "allowed", "allowed for this session", "always allowed", "denied".
[[nodiscard]] std::string_view words_for(Grant grant);
// The same with the reason: "denied: use npm instead".
[[nodiscard]] std::string words_for(const Decision& decision);

}  // namespace dragoman
