// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/session_store.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/sha256.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/record/file.hpp"

namespace dragoman::engine {
namespace {

namespace fs = std::filesystem;

// What an agent asked may be as long as it likes.
constexpr std::uint64_t kLargestSession = std::uint64_t{512} << 20U;

// Only of files: an agent may have put a pipe where git keeps one, which is not waited for.
std::string first_line(const fs::path& path) {
  constexpr std::size_t kLongestLine = 16 * 1024;
  const auto file = record::File::open(path);
  if (!file) return {};
  std::string text(kLongestLine, '\0');
  text.resize(file->read(text.data(), text.size(), 0));
  return text.substr(0, text.find('\n'));
}

std::string text_of(const json::Value& value) {
  return value.is(json::Kind::string) ? value.text().str() : std::string();
}

void read_strings(json::Cursor& c, std::vector<std::string>& out) {
  json::Elements elements(c);
  while (elements.next()) out.push_back(text_of(c.take()));
}

void read_questions(json::Cursor& c, std::vector<KeptQuestion>& out) {
  json::Elements elements(c);
  while (elements.next()) {
    const json::Value line = c.take();
    Arena arena;
    const auto event = read_event(line.raw, arena);
    if (!event) continue;
    if (const auto* const question = event->as<Question>()) {
      out.push_back(keep_question(*question));
    }
  }
}

bool is_plain_id(std::string_view id) {
  if (id.empty() || id.size() > 128 || id.front() == '.') return false;
  for (const char c : id) {
    if (!ascii::is_alnum(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

}  // namespace

std::string to_json(const StoredSession& session) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.key("agent").string(session.agent).key("session_id").string(session.session_id);
  w.key("run").string(session.run).key("cwd").string(session.cwd);
  w.key("git_head").string(session.git_head).key("words").begin_array();
  for (const std::string& word : session.words) w.string(word);
  w.end_array().key("secrets").begin_array();
  for (const std::string& secret : session.secrets) w.string(secret);
  w.end_array().key("pending").begin_array();
  for (const KeptQuestion& asked : session.pending) {
    with_payload(asked, QuestionState::open, {}, [&w](const Question& question) {
      Event event;
      event.payload = question;
      const std::string line = dragoman::to_json(event);
      w.raw({line});
    });
  }
  w.end_array().end_object();
  return out;
}

std::optional<StoredSession> read_stored_session(std::string_view text) {
  StoredSession session;
  json::Cursor c(text);
  json::Members members(c);
  for (std::string_view key; members.next(key);) {
    if (key == "words" && c.next_is(json::Kind::array)) {
      read_strings(c, session.words);
    } else if (key == "secrets" && c.next_is(json::Kind::array)) {
      read_strings(c, session.secrets);
    } else if (key == "pending" && c.next_is(json::Kind::array)) {
      read_questions(c, session.pending);
    } else {
      const std::string name(key);
      const std::string value = text_of(c.take());
      if (name == "agent") session.agent = value;
      if (name == "session_id") session.session_id = value;
      if (name == "run") session.run = value;
      if (name == "cwd") session.cwd = value;
      if (name == "git_head") session.git_head = value;
    }
  }
  if (!c.finish() || session.agent.empty()) return std::nullopt;
  return session;
}

// An agent may call its session anything; a file name is made of what is harmless.
fs::path SessionStore::file_of(std::string_view id) const {
  const std::string name = is_plain_id(id) ? std::string(id) : "x-" + sha256_hex(id);
  return directory_ / (name + ".json");
}

Result<void> SessionStore::save(const StoredSession& session) const {
  std::error_code failed;
  fs::create_directories(directory_, failed);
  fs::permissions(directory_, fs::perms::owner_all, failed);
  const std::string text = to_json(session) + "\n";
  for (const std::string& id : {session.session_id, session.run}) {
    if (id.empty()) continue;
    const fs::path file = file_of(id);
    const fs::path next = fmt::format("{}.{}", file.string(), ::getpid());
    fs::remove(next, failed);  // what a crash left behind
    DRAGOMAN_TRY(record::File out, record::File::create(next));
    int reason = out.append(text).error;
    if (reason == 0 && std::rename(next.c_str(), file.c_str()) != 0) reason = errno;
    if (reason != 0) {
      return Error{ErrorCode::internal,
                   fmt::format("write {}: {}", file.string(), std::strerror(reason))};
    }
  }
  return {};
}

std::optional<StoredSession> SessionStore::find(std::string_view id) const {
  if (id.empty()) return std::nullopt;
  const auto text = record::read_whole(file_of(id), kLargestSession);
  if (!text || !*text) return std::nullopt;
  return read_stored_session(**text);
}

void SessionStore::forget(std::string_view session_id) const {
  std::error_code ignored;
  fs::remove(file_of(session_id), ignored);
}

std::string git_head(const fs::path& directory) {
  for (fs::path at = directory; !at.empty(); at = at.parent_path()) {
    fs::path git = at / ".git";
    std::error_code failed;
    if (fs::is_regular_file(git, failed)) {  // a work tree: "gitdir: PATH"
      const std::string link = first_line(git);
      if (!link.starts_with("gitdir: ")) return {};
      git = at / link.substr(8);
    }
    if (fs::exists(git / "HEAD", failed)) {
      std::string head = first_line(git / "HEAD");
      if (!head.starts_with("ref: ")) return head;
      const std::string name = head.substr(5);
      if (name.find("..") != std::string::npos) return {};
      std::string commit = first_line(git / name);
      if (commit.empty() && fs::exists(git / "commondir", failed)) {
        commit = first_line(git / first_line(git / "commondir") / name);
      }
      return commit;
    }
    if (at == at.parent_path()) break;
  }
  return {};
}

}  // namespace dragoman::engine
