// SPDX-License-Identifier: Apache-2.0
// What comes in from a surface's server. Pure: headers, raw body and time in, answer out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dragoman/http/client.hpp"
#include "dragoman/surface/surface.hpp"

namespace dragoman::surface {

struct HookRequest {
  http::ClientFields fields;
  std::string_view body;   // exactly as it came
  std::int64_t now_s = 0;  // seconds since 1970

  [[nodiscard]] std::string_view field(std::string_view name) const;
};

// A call to the surface's server that has to follow.
struct FollowUp {
  std::string path;
  std::string body;
  friend bool operator==(const FollowUp&, const FollowUp&) = default;
};

struct HookAnswer {
  int status = 401;
  std::string body = {};
  std::string content_type = "application/json";
  std::optional<Incoming> incoming = {};   // somebody answered
  std::optional<FollowUp> follow_up = {};  // open a modal
};

// What became of an answer.
struct Verdict {
  enum class Kind : std::uint8_t { accepted, late, refused, unknown } kind = Kind::unknown;
  std::string words;  // for whoever answered
  Message message;    // as it stands now
};

// Signatures older or newer than this are refused, in seconds.
inline constexpr std::int64_t kHookWindow = 300;

// Without a secret that the signature could be checked with: 404. With a wrong signature: 401, and
// nothing of the body is looked at.
[[nodiscard]] HookAnswer github_hook(const SurfaceSettings& settings, const HookRequest& request);
[[nodiscard]] HookAnswer discord_hook(const SurfaceSettings& settings, const HookRequest& request);
[[nodiscard]] HookAnswer slack_hook(const SurfaceSettings& settings, const HookRequest& request);

// How the verdict is told in the answer to the request; Slack wants a call of its own for that.
[[nodiscard]] HookAnswer discord_verdict(const Verdict& verdict);
[[nodiscard]] HookAnswer slack_verdict(const SurfaceSettings& settings, const Incoming& incoming,
                                       const Verdict& verdict);

// The signature that a header must have, by each scheme; for tests and stand-ins.
[[nodiscard]] bool signed_by_github(std::string_view secret, std::string_view header,
                                    std::string_view body);
[[nodiscard]] bool signed_by_slack(std::string_view secret, std::string_view header,
                                   std::string_view timestamp, std::string_view body,
                                   std::int64_t now_s);
[[nodiscard]] bool signed_by_discord(std::string_view public_key, std::string_view signature,
                                     std::string_view timestamp, std::string_view body,
                                     std::int64_t now_s);

}  // namespace dragoman::surface
