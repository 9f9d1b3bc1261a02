// SPDX-License-Identifier: Apache-2.0
// A place where people are: one interface for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/surface/message.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::surface {

// Why something did not work, as Error::reason has it. Whatever else it is: worth another try.
inline constexpr std::string_view kRefused = "refused";      // it never will
inline constexpr std::string_view kThrottled = "throttled";  // not carried out: too early

// What somebody said on a surface. It is data: nothing of it is obeyed.
struct Incoming {
  std::string id;     // of the comment, click or message: the same one twice changes nothing
  std::string ref;    // the message it answers; empty: whichever is open
  std::string value;  // as typed: a number, a label, words
  bool literal = false;
  std::string by;        // as the surface names them
  std::string reply_to;  // where they can be told something; what it means is the surface's matter

  template <typename Self, typename V>
  static void fields(Self& s, V&& v) {
    v("id", s.id);
    v("ref", s.ref);
    v("value", s.value);
    v("literal", s.literal);
    v("by", s.by);
    v("reply_to", s.reply_to);
  }
  friend bool operator==(const Incoming&, const Incoming&) = default;
};

// A message that was posted.
struct Shown {
  std::string id;  // as the surface names it
  Message message;
};

// Law: what is posted carries the message's ref in a way that find() sees. An error with the reason
// http::kUnsure leaves open whether the request was carried out; every other error means it was
// not. update() and close() may be repeated. Used by one thread; calls block no longer than the
// deadline of a request, and at most until the server's limits allow it.
class Surface {
 public:
  virtual ~Surface() = default;

  // Posts the message and returns its id.
  [[nodiscard]] virtual Result<std::string> offer(const Message& message) = 0;
  // Whether an earlier offer, whose answer was lost, went through.
  [[nodiscard]] virtual Result<std::optional<std::string>> find(const Message& message) = 0;
  // Edits what was posted to what is true now; close() for the last time.
  [[nodiscard]] virtual Result<void> update(const Shown& shown) = 0;
  [[nodiscard]] virtual Result<void> close(const Shown& shown) = 0;
  // What people have said about the messages that are open, since the last call that was followed
  // by taken(): what could not be dealt with is found again.
  [[nodiscard]] virtual Result<std::vector<Incoming>> answers(const std::vector<Shown>& open) = 0;
  virtual void taken() {}
  // Makes an answer of what a webhook brought; absent: it is none.
  [[nodiscard]] virtual std::optional<Incoming> understand(Incoming raw,
                                                           const std::vector<Shown>& open) {
    (void)open;
    return raw;
  }
  // Whether this person may answer. Surfaces whose answers() ask already say yes.
  [[nodiscard]] virtual Result<bool> may_answer(const Incoming& incoming) {
    (void)incoming;
    return true;
  }
  // Tells whoever answered too late, or wrongly.
  [[nodiscard]] virtual Result<void> tell(const Incoming& incoming, std::string_view words) = 0;
  // A call that the answer to a webhook has to be followed by.
  [[nodiscard]] virtual Result<void> follow_up(const std::string& path, const std::string& body) {
    (void)path;
    (void)body;
    return {};
  }
};

// What a surface needs from outside.
struct Surroundings {
  std::stop_token stop;
  // The server demands silence until then (milliseconds since 1970): kept over a restart.
  std::function<void(std::int64_t until)> held;
  std::int64_t held_until = 0;
};

[[nodiscard]] Result<std::unique_ptr<Surface>> make_surface(const SurfaceSettings& settings,
                                                            Surroundings surroundings);

}  // namespace dragoman::surface
