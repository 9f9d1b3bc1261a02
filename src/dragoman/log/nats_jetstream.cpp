// SPDX-License-Identifier: Apache-2.0
#include "dragoman/log/nats_jetstream.hpp"

#include <time.h>

#include <charconv>

#include <fmt/format.h>

#include "dragoman/base/base64.hpp"
#include "dragoman/base/random.hpp"
#include "dragoman/json/cursor.hpp"
#include "dragoman/json/number.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/nats_names.hpp"

namespace dragoman {

namespace {

constexpr std::int64_t kNoMessage = 10037;
constexpr std::int64_t kNoStream = 10059;
constexpr std::int64_t kNameInUse = 10058;
constexpr std::int64_t kWrongLastSequence = 10071;
constexpr std::int64_t kNoCluster = 10074;  // replicas > 1 not supported

constexpr timespec kBetweenTries{0, 100'000'000};

constexpr const char* kBy = "D-By";

// "NATS/1.0\r\nName: value\r\n\r\n"
std::vector<std::pair<std::string, std::string>> read_headers(std::string_view block) {
  std::vector<std::pair<std::string, std::string>> headers;
  while (!block.empty()) {
    const std::size_t end = std::min(block.find("\r\n"), block.size());
    const std::string_view line = block.substr(0, end);
    block.remove_prefix(std::min(end + 2, block.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    headers.emplace_back(line.substr(0, colon), value);
  }
  return headers;
}

StreamState read_state(std::string_view json) {
  StreamState state;
  const std::string_view counts = json_member(json, "state");
  const auto count = [&](const char* name) {
    return static_cast<std::uint64_t>(json_number(json_member(counts, name)));
  };
  state.first = count("first_seq");
  state.last = count("last_seq");
  state.messages = count("messages");
  state.bytes = count("bytes");
  state.created = json_text(json_member(json, "created"));
  state.replicas = json_number(json_member(json_member(json, "config"), "num_replicas"));
  const std::string_view cluster = json_member(json, "cluster");
  state.leader = json_text(json_member(cluster, "leader"));
  const std::string_view replicas = json_member(cluster, "replicas");
  if (replicas.empty()) return state;
  json::Cursor cursor(replicas);
  for (json::Elements each(cursor); each.next();) {
    const std::string_view one = cursor.take().raw;
    if (json_member(one, "current") != "true" || json_member(one, "offline") == "true")
      state.behind.push_back(json_text(json_member(one, "name")));
  }
  return state;
}

// Every answer of the API says what it is, and that of a write where it was stored. Anything else
// was meant for somebody else, and counts as no answer at all.
bool is_answer(std::string_view json) { return !json_member(json, "type").empty(); }
bool is_receipt(std::string_view json, std::string_view stream) {
  return json_text(json_member(json, "stream")) == stream &&
         json_number(json_member(json, "seq")) > 0;
}
Error no_answer(std::string_view what) {
  return {ErrorCode::internal, fmt::format("the cluster does not answer {}", what), "store"};
}

// Servers that have just started, or have no leader at this moment.
bool is_passing(std::string_view error) { return json_number(json_member(error, "code")) == 503; }

}  // namespace

std::string_view json_member(std::string_view json, std::string_view name) {
  if (json.empty() || json.front() != '{') return {};
  json::Cursor cursor(json);
  std::string_view key;
  std::string_view found;
  for (json::Members members(cursor); members.next(key);) {
    const json::Value value = cursor.skip();
    if (key == name && found.empty()) found = value.raw;
  }
  return cursor.ok() ? found : std::string_view();
}

std::string json_text(std::string_view raw) {
  json::Cursor cursor(raw.empty() ? "null" : raw);
  const json::Value value = cursor.take();
  return value.is(json::Kind::string) ? value.text().str() : std::string();
}

std::int64_t json_number(std::string_view raw) {
  return raw.empty() ? 0 : json::parse_number(raw).value.whole().value_or(0);
}

std::int64_t server_error(const Error& error) {
  return json_number(json_member(error.details, "err_code"));
}

std::string_view JetMessage::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::uint64_t JetMessage::number(std::string_view name) const {
  const std::string_view text = header(name);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<std::string> JetStream::api(const std::string& what, std::string json) {
  const NatsMessage request{"$JS.API." + what, "", {}, std::move(json)};
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    DRAGOMAN_TRY(auto reply, connection_->request(request, patience_));
    const std::string_view error = json_member(reply.data, "error");
    if (error.empty() && is_answer(reply.data)) return std::move(reply.data);
    const bool passing = error.empty() || is_passing(error);
    if (passing && std::chrono::steady_clock::now() < deadline) {
      ::nanosleep(&kBetweenTries, nullptr);
      continue;
    }
    if (error.empty()) return no_answer(what);
    return Error{ErrorCode::internal,
                 fmt::format("the cluster refuses {}: {}", what,
                             json_text(json_member(error, "description"))),
                 "store",
                 fmt::format(R"({{"err_code":{}}})", json_number(json_member(error, "err_code")))};
  }
}

Result<void> JetStream::ensure_stream(const std::string& name, std::string_view config,
                                      std::int64_t replicas) {
  DRAGOMAN_TRY(const auto known, state(name));
  if (known) return {};
  const auto create = [&](std::int64_t copies) {
    return api("STREAM.CREATE." + name,
               fmt::format(R"({{"name":"{}","num_replicas":{},{}}})", name, copies, config));
  };
  auto made = create(replicas == 0 ? 3 : replicas);
  if (!made && replicas == 0 && server_error(made.error()) == kNoCluster) made = create(1);
  // Another process was first.
  if (made || server_error(made.error()) == kNameInUse) return {};
  return std::move(made).error();
}

Result<std::optional<StreamState>> JetStream::state(const std::string& stream) {
  auto reply = api("STREAM.INFO." + stream, "");
  if (reply) return std::optional<StreamState>(read_state(*reply));
  if (server_error(reply.error()) == kNoStream) return std::optional<StreamState>();
  return std::move(reply).error();
}

Result<std::optional<JetMessage>> JetStream::message(const std::string& stream, std::string json) {
  auto reply = api("STREAM.MSG.GET." + stream, std::move(json));
  if (!reply) {
    if (server_error(reply.error()) == kNoMessage) return std::optional<JetMessage>();
    return std::move(reply).error();
  }
  const std::string_view found = json_member(*reply, "message");
  JetMessage message;
  message.subject = json_text(json_member(found, "subject"));
  message.seq = static_cast<std::uint64_t>(json_number(json_member(found, "seq")));
  message.time_ms = milliseconds_of(json_text(json_member(found, "time")));
  message.headers = read_headers(from_base64(json_text(json_member(found, "hdrs"))).value_or(""));
  message.data = from_base64(json_text(json_member(found, "data"))).value_or("");
  clock_.read(message.time_ms);
  return std::optional<JetMessage>(std::move(message));
}

Result<std::optional<JetMessage>> JetStream::last_of(const std::string& stream,
                                                     std::string_view subject) {
  return message(stream, fmt::format(R"({{"last_by_subj":"{}"}})", subject));
}

Result<std::optional<JetMessage>> JetStream::next_of(const std::string& stream,
                                                     std::string_view subject, std::uint64_t seq) {
  return message(stream, fmt::format(R"({{"seq":{},"next_by_subj":"{}"}})",
                                     std::max<std::uint64_t>(seq, 1), subject));
}

Result<void> JetStream::remove_before(const std::string& stream, std::string_view subject,
                                      std::uint64_t seq) {
  for (std::uint64_t next = 1;;) {
    DRAGOMAN_TRY(const auto found, next_of(stream, subject, next));
    if (!found || found->seq >= seq) return {};
    const auto removed = api("STREAM.MSG.DELETE." + stream,
                             fmt::format(R"({{"seq":{},"no_erase":true}})", found->seq));
    if (!removed && server_error(removed.error()) == 0) return removed.error();
    next = found->seq + 1;  // the server refuses when somebody else was faster
  }
}

Result<bool> JetStream::is_ours(const std::string& stream, std::uint64_t seq, std::string_view by) {
  DRAGOMAN_TRY(const auto stored, message(stream, fmt::format(R"({{"seq":{}}})", seq)));
  if (stored) return stored->header(kBy) == by;
  return Error{ErrorCode::internal, "the cluster does not say whose write was stored", "unknown"};
}

Result<JetStored> JetStream::publish(const std::string& stream, JetPublish message) {
  DRAGOMAN_TRY(const JetStored stored, store(stream, message));
  if (stored.applied && witness_) witness_(stream, std::move(message));
  return stored;
}

// A server of a cluster checks the expected sequence before it proposes the write to the others,
// and two that are under way at the same moment can both pass. The message's id is checked when it
// is applied, in the order all replicas agree on: it is made of the subject and the expected
// sequence, so the second of the two is a duplicate. It also makes a repeated request harmless.
Result<JetStored> JetStream::store(const std::string& stream, const JetPublish& message) {
  const std::string by = random_hex(12);
  NatsMessage request{message.subject, "", message.headers, message.data};
  request.headers.emplace_back("Nats-Expected-Stream", stream);
  request.headers.emplace_back("Nats-Expected-Last-Subject-Sequence",
                               std::to_string(message.expected));
  request.headers.emplace_back(
      "Nats-Msg-Id",
      message.id.empty() ? fmt::format("{}@{}", message.subject, message.expected) : message.id);
  request.headers.emplace_back(kBy, by);
  int tries = 0;
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  for (;;) {
    DRAGOMAN_TRY(auto reply, connection_->request(request, patience_, &tries));
    const std::string_view error = json_member(reply.data, "error");
    if (error.empty() && is_receipt(reply.data, stream)) {
      const auto seq = static_cast<std::uint64_t>(json_number(json_member(reply.data, "seq")));
      if (json_member(reply.data, "duplicate") != "true") return JetStored{true, seq};
      if (tries == 1) return JetStored{false, seq};
      DRAGOMAN_TRY(const bool ours, is_ours(stream, seq, by));
      return JetStored{ours, seq};
    }
    const std::int64_t code = json_number(json_member(error, "err_code"));
    if (code == kWrongLastSequence && tries == 1) return JetStored{};
    if (code == kWrongLastSequence) {
      // It may be that our own first request was stored and its answer was lost.
      DRAGOMAN_TRY(const auto last, last_of(stream, message.subject));
      const bool ours = last && last->header(kBy) == by;
      return JetStored{ours, last ? last->seq : 0};
    }
    const bool passing = error.empty() || is_passing(error);
    if (passing && std::chrono::steady_clock::now() < deadline) {
      ::nanosleep(&kBetweenTries, nullptr);
      continue;
    }
    if (error.empty()) return no_answer(fmt::format("a write to {}", message.subject));
    return Error{ErrorCode::internal,
                 fmt::format("the cluster refuses a write to {}: {}", message.subject,
                             json_text(json_member(error, "description"))),
                 "store", fmt::format(R"({{"err_code":{}}})", code)};
  }
}

}  // namespace dragoman
