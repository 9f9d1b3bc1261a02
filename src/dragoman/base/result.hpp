// SPDX-License-Identifier: Apache-2.0
// Failures that a correct program meets in normal life are values.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dragoman {

// As clients of the tool see them.
enum class ErrorCode { validation, not_found, unsupported, timeout, tool_error, internal };

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  // lower case, no full stop, "what: why"
  // For programs, where the code is too coarse: "disk_full", and the facts as a JSON object.
  std::string reason = {};
  std::string details = {};

  // Puts what was being attempted in front: "open store: unable to open database file".
  [[nodiscard]] Error while_doing(std::string_view action) && {
    message.insert(0, ": ").insert(0, action);
    return std::move(*this);
  }

  friend bool operator==(const Error&, const Error&) = default;
};

// A value or the Error that stands in its place. It spells like std::expected, so that changing
// over in a C++23 future is mechanical, but cannot be dropped by accident.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const& {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] Error&& error() && {
    assert(!has_value());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  T& value() {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

// Success has nothing to say.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)
      : error_(std::move(error)), failed_(true) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  [[nodiscard]] const Error& error() const& { return error_; }
  [[nodiscard]] Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace dragoman

#define DRAGOMAN_CONCAT_(a, b) a##b
#define DRAGOMAN_CONCAT(a, b) DRAGOMAN_CONCAT_(a, b)

// DRAGOMAN_TRY(auto db, open(path)): declares db, or returns the error to our caller.
#define DRAGOMAN_TRY(declaration, expression)                     \
  auto DRAGOMAN_CONCAT(result_, __LINE__) = (expression);         \
  if (!DRAGOMAN_CONCAT(result_, __LINE__)) {                      \
    return std::move(DRAGOMAN_CONCAT(result_, __LINE__)).error(); \
  }                                                               \
  declaration = *std::move(DRAGOMAN_CONCAT(result_, __LINE__))

// DRAGOMAN_CHECK(migrate(db)): for results that carry nothing.
#define DRAGOMAN_CHECK(expression)                                                                 \
  if (auto DRAGOMAN_CONCAT(result_, __LINE__) = (expression); !DRAGOMAN_CONCAT(result_, __LINE__)) \
  return std::move(DRAGOMAN_CONCAT(result_, __LINE__)).error()
