// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/settings.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/duration.hpp"
#include "dragoman/http/client.hpp"

namespace dragoman::surface {
namespace {

using Names = std::vector<std::string_view>;

// What a kind of surface takes, and what it cannot do without.
struct Kind {
  std::string_view name;
  Names texts;
  Names secrets;
  Names needed;
  bool names_people = false;  // users, roles, anyone
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds = {
      {"github", {"repo", "issue", "api"}, {"token", "webhook_secret"}, {"repo", "issue", "token"}},
      {"discord", {"channel", "public_key", "api"}, {"token"}, {"channel", "token"}, true},
      {"slack", {"channel", "api"}, {"token", "signing_secret"}, {"channel", "token"}, true},
      {"openclaw",
       {"url", "session", "agent", "channel", "to"},
       {"token", "device_key", "hooks_token"},
       {"url"}},
      {"command", {}, {}, {}},
      {"desktop", {"program"}, {}, {}},
  };
  return kKinds;
}

const Names& topics() {
  static const Names kTopics = {"question", "block", "failure", "completion", "progress"};
  return kTopics;
}

bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Error wrong(const config::Value& value, std::string_view key, std::string_view why) {
  return {ErrorCode::validation, fmt::format("{}: {}: {}", value.where, key, why)};
}

Result<int> small_number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || number < 0 || number > 1000)
    return Error{ErrorCode::validation, fmt::format("'{}' is not a number up to 1000", text)};
  return number;
}

// "22:00-07:00" as minutes of the day.
Result<std::pair<int, int>> hours_in(const std::string& text) {
  const auto minutes = [&](std::size_t at) {
    if (text.size() != 11 || text[at + 2] != ':') return -1;
    int hour = -1;
    int minute = -1;
    std::from_chars(text.data() + at, text.data() + at + 2, hour);
    std::from_chars(text.data() + at + 3, text.data() + at + 5, minute);
    return hour < 0 || hour > 23 || minute < 0 || minute > 59 ? -1 : hour * 60 + minute;
  };
  if (text.size() != 11 || text[5] != '-' || minutes(0) < 0 || minutes(6) < 0)
    return Error{ErrorCode::validation, fmt::format("'{}' is not like 22:00-07:00", text)};
  return std::pair(minutes(0), minutes(6));
}

// One table [surface.NAME].
class Table {
 public:
  Table(std::string name, const std::vector<std::string>& environment) : environment_(environment) {
    out_.name = std::move(name);
    out_.offers = {"question", "block"};
  }

  Result<void> add(std::string_view key, const config::Value& value, const Kind& kind) {
    out_.kind = kind.name;
    where_ = value.where;
    const std::string first = value.texts.empty() ? "" : value.texts.front();
    if (key == "kind") return {};
    if (key == "offers") return add_topics(value);
    if (key == "command" && kind.name == "command") {
      out_.argv = value.texts;
      return {};
    }
    if (kind.names_people && key == "users") return set(out_.users, value);
    if (kind.names_people && key == "roles") return set(out_.roles, value);
    if (kind.names_people && key == "anyone") {
      out_.anyone = first == "true";
      return {};
    }
    if (key == "order") {
      auto number = small_number(first);
      if (!number) return wrong(value, key, number.error().message);
      out_.order = *number;
      return {};
    }
    if (key == "poll" || key == "write_gap") return add_duration(key, first, value);
    if (has(kind.texts, key)) {
      out_.texts.insert_or_assign(std::string(key), first);
      return check_text(key, first, value);
    }
    if (has(kind.secrets, key)) {
      auto secret = resolve_secret(first, environment_);
      if (!secret) {
        Error fault = wrong(value, key, secret.error().message);
        fault.code = secret.error().code;  // what is not there is another fault than what is wrong
        return fault;
      }
      out_.secrets.insert_or_assign(std::string(key), *std::move(secret));
      return {};
    }
    return wrong(value, key, fmt::format("a surface of kind {} takes no such setting", kind.name));
  }

  Result<SurfaceSettings> finish(const Kind& kind) {
    for (const std::string_view needed : kind.needed) {
      if (out_.text(needed).empty() && out_.secret(needed).empty())
        return Error{ErrorCode::validation,
                     fmt::format("{}: [surface.{}]: {} is missing", where_, out_.name, needed)};
    }
    if (kind.name == "command" && out_.argv.empty())
      return Error{ErrorCode::validation,
                   fmt::format("{}: [surface.{}]: command = [\"PROGRAM\", …] is missing", where_,
                               out_.name)};
    if (kind.names_people && !out_.anyone && out_.users.empty() && out_.roles.empty())
      return Error{ErrorCode::validation,
                   fmt::format("{}: [surface.{}]: say who may answer: users = [\"ID\"], roles = "
                               "[\"ID\"], or anyone = true",
                               where_, out_.name)};
    return std::move(out_);
  }

 private:
  static Result<void> set(std::vector<std::string>& list, const config::Value& value) {
    list = value.texts;
    return {};
  }

  Result<void> add_topics(const config::Value& value) {
    out_.offers.clear();
    for (const std::string& topic : value.texts) {
      if (!has(topics(), topic))
        return wrong(value, "offers",
                     fmt::format("'{}' is none of {}", topic, fmt::join(topics(), ", ")));
      out_.offers.insert(topic);
    }
    return {};
  }

  Result<void> add_duration(std::string_view key, const std::string& text,
                            const config::Value& value) {
    auto duration = parse_duration(text);
    if (!duration) return wrong(value, key, duration.error().message);
    if (key == "write_gap") {
      out_.write_gap = *duration;
    } else {
      out_.poll = *duration;
    }
    return {};
  }

  static Result<void> check_text(std::string_view key, const std::string& text,
                                 const config::Value& value) {
    if (key == "api" || key == "url") {
      if (auto url = http::parse_url(text); !url) return wrong(value, key, url.error().message);
    }
    // These become part of a path: nothing of them may lead elsewhere.
    if (key == "repo" || key == "issue" || key == "channel") {
      const bool plain = std::ranges::all_of(text, [](char c) {
        return ascii::is_alnum(c) || std::string_view("-_./:+@").find(c) != std::string_view::npos;
      });
      if (!plain || text.find("..") != std::string::npos ||
          (key == "repo" && std::ranges::count(text, '/') != 1))
        return wrong(value, key, fmt::format("'{}' is not one", text));
    }
    return {};
  }

  SurfaceSettings out_;
  std::string where_;
  const std::vector<std::string>& environment_;
};

const Kind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kinds(), name, &Kind::name);
  return found == kinds().end() ? nullptr : &*found;
}

Result<Policy> read_policy(const config::Config& config) {
  Policy policy;
  policy.in_order = config.text("ask.policy") == "order";
  if (const auto after = parse_duration(config.text("ask.escalate_after")))
    policy.escalate_after = *after;
  if (const auto after = parse_duration(config.text("ask.default_after")))
    policy.default_after = *after;
  policy.default_answer = config.text("ask.default_answer");
  if (const std::string& hours = config.text("ask.quiet_hours"); !hours.empty()) {
    auto read = hours_in(hours);
    if (!read)
      return wrong(config.value("ask.quiet_hours"), "ask.quiet_hours", read.error().message);
    policy.quiet = *read;
  }
  return policy;
}

}  // namespace

const std::string& SurfaceSettings::text(std::string_view key) const {
  static const std::string kNone;
  const auto found = texts.find(key);
  return found == texts.end() ? kNone : found->second;
}

const std::string& SurfaceSettings::secret(std::string_view key) const {
  static const std::string kNone;
  const auto found = secrets.find(key);
  return found == secrets.end() ? kNone : found->second;
}

bool SurfaceSettings::may_answer(std::string_view user,
                                 const std::vector<std::string>& roles_of_user) const {
  if (user.empty()) return false;
  if (anyone || std::ranges::find(users, user) != users.end()) return true;
  return std::ranges::any_of(roles_of_user, [&](const std::string& role) {
    return std::ranges::find(roles, role) != roles.end();
  });
}

const SurfaceSettings* Settings::find(std::string_view name) const {
  const auto found = std::ranges::find(surfaces, name, &SurfaceSettings::name);
  return found == surfaces.end() ? nullptr : &*found;
}

Result<std::string> resolve_secret(const std::string& reference,
                                   const std::vector<std::string>& environment) {
  if (reference.starts_with("env:")) {
    const std::string name = reference.substr(4) + "=";
    for (const std::string& line : environment) {
      if (line.starts_with(name) && line.size() > name.size()) return line.substr(name.size());
    }
    return Error{ErrorCode::not_found,
                 fmt::format("the environment has no {}", reference.substr(4))};
  }
  if (!reference.starts_with("file:"))
    return Error{ErrorCode::validation, "a secret is given as env:NAME or file:PATH"};
  std::ifstream file(reference.substr(5), std::ios::binary);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty())
    return Error{ErrorCode::not_found,
                 fmt::format("{} cannot be read or is empty", reference.substr(5))};
  return text;
}

Result<Settings> read_settings(const config::Config& config,
                               const std::vector<std::string>& environment) {
  Settings settings;
  DRAGOMAN_TRY(settings.policy, read_policy(config));
  constexpr std::string_view kPrefix = "surface.";
  std::map<std::string, std::map<std::string, config::Value>> tables;
  for (const auto& [key, value] : config.named_tables()) {
    const std::size_t dot = key.rfind('.');
    if (dot == kPrefix.size() - 1) return wrong(value, key, "a surface is a table [surface.NAME]");
    tables[key.substr(kPrefix.size(), dot - kPrefix.size())][key.substr(dot + 1)] = value;
  }
  for (const auto& [name, values] : tables) {
    const auto& any = values.begin()->second;
    const auto fits = [](char c) { return ascii::is_alnum(c) || c == '-' || c == '_'; };
    if (!std::ranges::all_of(name, fits))
      return wrong(any, name, "the name of a surface has letters, digits, - and _");
    const auto said = values.find("kind");
    const Kind* const kind = said == values.end() || said->second.texts.empty()
                                 ? nullptr
                                 : find_kind(said->second.texts.front());
    if (kind == nullptr)
      return wrong(any, name,
                   "kind has to be github, discord, slack, openclaw, command or desktop");
    Table table(name, environment);
    for (const auto& [key, value] : values) DRAGOMAN_CHECK(table.add(key, value, *kind));
    DRAGOMAN_TRY(auto surface, table.finish(*kind));
    settings.surfaces.push_back(std::move(surface));
  }
  return settings;
}

}  // namespace dragoman::surface
