// SPDX-License-Identifier: Apache-2.0
#include "dragoman/record/documents.hpp"

#include <charconv>

#include <fmt/format.h>

#include "dragoman/json/cursor.hpp"
#include "dragoman/json/writer.hpp"

namespace dragoman::record {
namespace {

using json::Cursor;
using json::Kind;
using json::Members;

void write_account(json::Writer& w, const ChannelAccount& account) {
  w.begin_object();
  w.name("seen").count(account.seen);
  w.name("kept").count(account.kept);
  w.name("cut").count(account.cut);
  w.name("redactions").count(account.redactions);
  w.end_object();
}

// Values of another type than expected leave the field as it is: the file may be of a later
// version.
void get(Cursor& c, std::string& out) {
  const json::Value value = c.take();
  if (value.is(Kind::string)) out = value.text().str();
}
void get(Cursor& c, bool& out) {
  const json::Value value = c.take();
  if (value.is(Kind::boolean)) out = value.is_true();
}
template <typename Integer>
void get_integer(Cursor& c, Integer& out) {
  const json::Value value = c.take();
  Integer number{};
  if (!value.is(Kind::number)) return;
  const char* const end = value.raw.data() + value.raw.size();
  const auto [stop, error] = std::from_chars(value.raw.data(), end, number);
  if (error == std::errc() && stop == end) out = number;
}
void get(Cursor& c, std::vector<std::string>& out) {
  if (!c.next_is(Kind::array)) return void(c.skip());
  for (json::Elements e(c); e.next();) get(c, out.emplace_back());
}
void get(Cursor& c, std::chrono::microseconds& out) {
  std::int64_t count = 0;
  get_integer(c, count);
  out = std::chrono::microseconds(count);
}
void get(Cursor& c, ChannelAccount& out) {
  if (!c.next_is(Kind::object)) return void(c.skip());
  std::string_view key;
  for (Members m(c); m.next(key);) {
    if (key == "seen") {
      get_integer(c, out.seen);
    } else if (key == "kept") {
      get_integer(c, out.kept);
    } else if (key == "cut") {
      get_integer(c, out.cut);
    } else if (key == "redactions") {
      get_integer(c, out.redactions);
    } else {
      c.skip();
    }
  }
}

void get_member(Cursor& c, std::string_view key, CommandRecord& out, int& format) {
  if (key == "format") return get_integer(c, format);
  if (key == "run") return get(c, out.run);
  if (key == "agent") return get(c, out.agent);
  if (key == "program") return get(c, out.program);
  if (key == "arguments") return get(c, out.arguments);
  if (key == "directory") return get(c, out.directory);
  if (key == "environment_names") return get(c, out.environment_names);
  if (key == "started_at") return get(c, out.started_at);
  if (key == "session_id") return get(c, out.session_id);
  if (key == "dialect") return get(c, out.dialect);
  if (key == "terminal") return get(c, out.terminal);
  c.skip();
}

void get_member(Cursor& c, std::string_view key, ExitRecord& out) {
  if (key == "how") return get(c, out.how);
  if (key == "code") return get_integer(c, out.code);
  if (key == "wall_us") return get(c, out.wall);
  if (key == "cpu_us") return get(c, out.cpu);
  if (key == "max_rss_bytes") return get_integer(c, out.max_rss_bytes);
  if (key == "timeout") return get(c, out.timeout);
  if (key == "stopped") return get(c, out.stopped);
  if (key == "rested") return get(c, out.rested);
  if (key == "output_cut") return get(c, out.output_cut);
  if (key == "survivors") return get_integer(c, out.survivors);
  if (key == "stdin") return get(c, out.stdin_account);
  if (key == "stdout") return get(c, out.stdout_account);
  if (key == "stderr") return get(c, out.stderr_account);
  if (key == "fault") return get(c, out.fault);
  c.skip();
}

Error broken(std::string_view file, const Cursor& c) {
  return {ErrorCode::validation,
          fmt::format("read {}: {} at byte {}", file, name(c.fault()), c.fault_at())};
}

}  // namespace

std::string to_json(const CommandRecord& command) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.name("format").integer(kFormat);
  if (!command.run.empty()) w.name("run").string(command.run);
  w.name("agent").string(command.agent);
  w.name("program").string(command.program);
  w.name("arguments").begin_array();
  for (const std::string& word : command.arguments) w.string(word);
  w.end_array();
  w.name("directory").string(command.directory);
  w.name("environment_names").begin_array();
  for (const std::string& word : command.environment_names) w.string(word);
  w.end_array();
  w.name("started_at").string(command.started_at);
  if (!command.session_id.empty()) w.name("session_id").string(command.session_id);
  if (!command.dialect.empty()) w.name("dialect").string(command.dialect);
  w.name("terminal").boolean(command.terminal);
  w.end_object();
  out.push_back('\n');
  return out;
}

std::string to_json(const ExitRecord& exit) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.name("how").string(exit.how);
  w.name("code").integer(exit.code);
  w.name("wall_us").integer(exit.wall.count());
  w.name("cpu_us").integer(exit.cpu.count());
  w.name("max_rss_bytes").count(exit.max_rss_bytes);
  if (!exit.timeout.empty()) w.name("timeout").string(exit.timeout);
  w.name("stopped").boolean(exit.stopped);
  if (exit.rested) w.name("rested").boolean(true);
  w.name("output_cut").boolean(exit.output_cut);
  if (exit.survivors > 0) w.name("survivors").count(exit.survivors);
  w.name("stdin");
  write_account(w, exit.stdin_account);
  w.name("stdout");
  write_account(w, exit.stdout_account);
  w.name("stderr");
  write_account(w, exit.stderr_account);
  if (!exit.fault.empty()) w.name("fault").string(exit.fault);
  w.end_object();
  out.push_back('\n');
  return out;
}

Result<CommandRecord> read_command(std::string_view text) {
  Cursor c(text);
  CommandRecord command;
  int format = 0;
  std::string_view key;
  for (Members m(c); m.next(key);) get_member(c, key, command, format);
  if (!c.finish()) return broken("command.json", c);
  if (format != kFormat) {
    return Error{ErrorCode::unsupported,
                 fmt::format("read command.json: format {} is not known, {} is", format, kFormat)};
  }
  return command;
}

Result<ExitRecord> read_exit(std::string_view text) {
  Cursor c(text);
  ExitRecord exit;
  std::string_view key;
  for (Members m(c); m.next(key);) get_member(c, key, exit);
  if (!c.finish()) return broken("exit.json", c);
  return exit;
}

}  // namespace dragoman::record
