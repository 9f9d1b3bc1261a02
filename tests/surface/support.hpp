// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/http/signature.hpp"
#include "dragoman/surface/hook.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::test {

inline constexpr std::string_view kDiscordKey =
    "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

inline std::string discord_seed() {
  std::string seed;
  for (int i = 0; i < 32; ++i) seed.push_back(static_cast<char>(i));
  return seed;
}

inline surface::SurfaceSettings github_settings(const std::string& api = {}) {
  surface::SurfaceSettings s;
  s.name = "ops";
  s.kind = "github";
  s.texts = {{"repo", "o/r"}, {"issue", "7"}, {"api", api}};
  s.secrets = {{"token", "gh-token"}, {"webhook_secret", "It's a Secret to Everybody"}};
  s.offers = {"question", "block"};
  s.poll = std::chrono::milliseconds(50);
  s.write_gap = std::chrono::milliseconds(0);
  return s;
}

inline surface::SurfaceSettings discord_settings(const std::string& api = {}) {
  surface::SurfaceSettings s;
  s.name = "chat";
  s.kind = "discord";
  s.texts = {{"channel", "77"}, {"public_key", std::string(kDiscordKey)}, {"api", api}};
  s.secrets = {{"token", "dc-token"}};
  s.users = {"u1", "u2"};
  s.roles = {"r9"};
  s.offers = {"question", "block"};
  s.poll = std::chrono::milliseconds(50);
  return s;
}

inline surface::SurfaceSettings slack_settings(const std::string& api = {}) {
  surface::SurfaceSettings s;
  s.name = "team";
  s.kind = "slack";
  s.texts = {{"channel", "C7"}, {"api", api}};
  s.secrets = {{"token", "xoxb-token"}, {"signing_secret", "8f742231b10e8888abcd99yyyzzz85a5"}};
  s.users = {"U1"};
  s.offers = {"question", "block"};
  s.poll = std::chrono::milliseconds(50);
  s.write_gap = std::chrono::milliseconds(0);
  return s;
}

inline ask::QuestionRecord a_question(const std::string& task, const std::string& id = "q1") {
  ask::QuestionRecord question;
  question.task_id = task;
  question.id = id;
  question.header = "Auth";
  question.text = "Where do tokens live?";
  question.options = {{"Cookie", "in the browser"}, {"Header"}};
  question.free_text = true;
  return question;
}

inline surface::HookRequest github_signed(std::string_view body, const std::string& secret) {
  return {{{"X-GitHub-Event", "issue_comment"},
           {"X-Hub-Signature-256", "sha256=" + http::hmac_sha256_hex(secret, body)}},
          body,
          0};
}

inline surface::HookRequest discord_signed(std::string_view body, std::int64_t now) {
  const std::string time = std::to_string(now);
  const auto signature = http::sign_ed25519(discord_seed(), time + std::string(body));
  return {{{"X-Signature-Ed25519", http::to_hex(*signature)}, {"X-Signature-Timestamp", time}},
          body,
          now};
}

inline surface::HookRequest slack_signed(std::string_view body, std::int64_t now,
                                         const std::string& secret) {
  const std::string time = std::to_string(now);
  return {{{"X-Slack-Signature",
            "v0=" + http::hmac_sha256_hex(secret, "v0:" + time + ":" + std::string(body))},
           {"X-Slack-Request-Timestamp", time}},
          body,
          now};
}

}  // namespace dragoman::test
