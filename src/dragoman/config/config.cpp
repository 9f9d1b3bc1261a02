// SPDX-License-Identifier: Apache-2.0
#include "dragoman/config/config.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/duration.hpp"
#include "dragoman/config/config_file.hpp"

namespace dragoman::config {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

std::optional<std::string> variable(const Lines& environment, std::string_view name) {
  for (const std::string& line : environment) {
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return line.substr(name.size() + 1);
  }
  return std::nullopt;
}

fs::path xdg_directory(const Lines& environment, std::string_view name,
                       std::string_view below_home) {
  const std::string base = variable(environment, name).value_or("");
  if (base.starts_with('/')) return fs::path(base) / "dragoman";
  const std::string home = variable(environment, "HOME").value_or("");
  return home.starts_with('/') ? fs::path(home) / below_home / "dragoman" : fs::path();
}

Error wrong(const std::string& where, const Setting& setting, std::string_view why) {
  return {ErrorCode::validation, fmt::format("{}: {}: {}", where, setting.key, why)};
}

// Whether the file's way to write it fits: a length of time may be a bare number of seconds.
bool fits(Assignment::Kind kind, Type type) {
  using Kind = Assignment::Kind;
  switch (type) {
    case Type::text:
    case Type::choice:
      return kind == Kind::text;
    case Type::flag:
      return kind == Kind::flag;
    case Type::integer:
      return kind == Kind::integer;
    case Type::duration:
      return kind == Kind::text || kind == Kind::integer;
    case Type::list:
      return kind == Kind::list;
  }
  return false;
}

Result<Value> checked(const Setting& setting, Value value) {
  for (const std::string& text : value.texts) {
    switch (setting.type) {
      case Type::text:
      case Type::list:
        break;
      case Type::choice:
        if (std::ranges::find(setting.choices, text) == setting.choices.end())
          return wrong(value.where, setting,
                       fmt::format("'{}' is none of {}", text, fmt::join(setting.choices, ", ")));
        break;
      case Type::flag:
        if (text != "true" && text != "false")
          return wrong(value.where, setting, fmt::format("'{}' is not true or false", text));
        break;
      case Type::integer: {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, fault] = std::from_chars(text.data(), end, number);
        if (fault != std::errc() || stop != end || number < setting.least || number > setting.most)
          return wrong(value.where, setting,
                       fmt::format("'{}' is not a whole number from {} to {}", text, setting.least,
                                   setting.most));
        break;
      }
      case Type::duration:
        if (auto read = parse_duration(text); !read)
          return wrong(value.where, setting, read.error().message);
        break;
    }
  }
  return value;
}

}  // namespace

std::string_view name(Source source) {
  switch (source) {
    case Source::standard:
      return "standard";
    case Source::user:
      return "user";
    case Source::project:
      return "project";
    case Source::environment:
      return "environment";
  }
  return "";
}

fs::path config_directory(const Lines& environment) {
  return xdg_directory(environment, "XDG_CONFIG_HOME", ".config");
}

fs::path state_directory(const Lines& environment) {
  if (const auto own = variable(environment, "DRAGOMAN_STATE_DIR"); own && own->starts_with('/'))
    return *own;
  return xdg_directory(environment, "XDG_STATE_HOME", ".local/state");
}

std::optional<fs::path> find_project_file(const fs::path& directory) {
  std::error_code ignored;
  for (fs::path at = directory;; at = at.parent_path()) {
    fs::path candidate = at / ".dragoman.toml";
    if (fs::exists(candidate, ignored)) return candidate;
    if (fs::exists(at / ".git", ignored) || at == at.parent_path()) return std::nullopt;
  }
}

class Loading {
 public:
  using Values = std::map<std::string, Value, std::less<>>;
  Loading(Values& values, Values& named, std::vector<std::string>& warnings)
      : values_(values), named_(named), warnings_(warnings) {}

  // Whether the file was there.
  Result<bool> add_file(const fs::path& path, Source source) {
    DRAGOMAN_TRY(const auto assignments,
                 read_file(path, source == Source::project ? Whose::strangers : Whose::ours));
    if (!assignments) return false;
    for (const Assignment& assignment : *assignments) {
      DRAGOMAN_CHECK(add(assignment, source, fmt::format("{}:{}", path.string(), assignment.line)));
    }
    return true;
  }

  Result<bool> add_environment(const Lines& environment) {
    for (const Setting& setting : settings()) {
      if (setting.variable.empty()) continue;
      const auto text = variable(environment, setting.variable);
      if (!text || text->empty()) continue;
      DRAGOMAN_CHECK(set(setting, {{*text}, Source::environment, std::string(setting.variable)}));
    }
    return true;
  }

 private:
  Result<bool> add(const Assignment& assignment, Source source, std::string where) {
    // Where questions go, and with whose token, is the user's to say.
    if (assignment.key.starts_with("surface.") && source == Source::user) {
      named_.insert_or_assign(assignment.key, Value{assignment.texts, source, std::move(where)});
      return true;
    }
    const Setting* const setting = find_setting(assignment.key);
    if (setting == nullptr) {
      warnings_.push_back(fmt::format("{}: no setting is called {}", where, assignment.key));
      return true;
    }
    if (source == Source::project && setting->in_project == InProject::refused) {
      warnings_.push_back(fmt::format(
          "{}: {} is ignored: a project file may not set it, your own configuration may", where,
          setting->key));
      return true;
    }
    if (!fits(assignment.kind, setting->type))
      return wrong(where, *setting, fmt::format("wants a {}", name(setting->type)));
    return set(*setting, {assignment.texts, source, std::move(where)});
  }

  Result<bool> set(const Setting& setting, Value value) {
    DRAGOMAN_TRY(auto good, checked(setting, std::move(value)));
    values_.insert_or_assign(std::string(setting.key), std::move(good));
    return true;
  }

  Values& values_;
  Values& named_;
  std::vector<std::string>& warnings_;
};

Result<Config> Config::load(const Places& places) {
  // Passed over in silence, it would make every store look empty.
  if (const auto own = variable(places.environment, "DRAGOMAN_STATE_DIR");
      own && !own->empty() && !own->starts_with('/')) {
    return Error{ErrorCode::validation,
                 fmt::format("DRAGOMAN_STATE_DIR: '{}' is not an absolute path", *own)};
  }
  Config config;
  for (const Setting& setting : settings()) {
    Value& value = config.values_[std::string(setting.key)];
    if (!setting.standard.empty()) value.texts.emplace_back(setting.standard);
  }
  Loading loading(config.values_, config.named_, config.warnings_);
  std::optional<fs::path> user = places.file;
  if (const auto named = variable(places.environment, "DRAGOMAN_CONFIG"); !user && named)
    user = *named;
  const bool must_exist = user.has_value();
  if (!user) {
    const fs::path directory = config_directory(places.environment);
    if (!directory.empty()) user = directory / "config.toml";
  }
  if (user) {
    DRAGOMAN_TRY(const bool there, loading.add_file(*user, Source::user));
    if (!there && must_exist)
      return Error{ErrorCode::not_found, fmt::format("no configuration at {}", user->string())};
    if (there) config.files_.push_back(*user);
  }
  if (const auto project = find_project_file(places.working_directory)) {
    DRAGOMAN_TRY(const bool there, loading.add_file(*project, Source::project));
    if (there) config.files_.push_back(*project);
  }
  DRAGOMAN_CHECK(loading.add_environment(places.environment));
  return config;
}

const Value& Config::value(std::string_view key) const {
  static const Value kNone;
  const auto found = values_.find(key);
  return found == values_.end() ? kNone : found->second;
}

const std::string& Config::text(std::string_view key) const {
  static const std::string kNothing;
  const Value& found = value(key);
  return found.texts.empty() ? kNothing : found.texts.front();
}

}  // namespace dragoman::config
