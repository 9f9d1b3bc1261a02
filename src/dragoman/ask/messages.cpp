// SPDX-License-Identifier: Apache-2.0
#include "dragoman/ask/messages.hpp"

#include <utility>

#include <fmt/format.h>

#include "dragoman/base/random.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/log/fields.hpp"
#include "dragoman/log/private_file.hpp"

namespace dragoman::ask {

namespace {

constexpr std::string_view kMessages = "messages";

std::string key_of(std::string_view task_id, std::uint64_t number) {
  return fmt::format("{}/{:012}", task_id, number);
}

Result<MessageRecord> message_of(const LogRecord& record) {
  DRAGOMAN_TRY(auto message, read_fields<MessageRecord>(record.value));
  message.revision = record.revision;
  return message;
}

LogWrite put_of(const MessageRecord& message) {
  return Put{std::string(kMessages),
             {message.key(), write_fields(message), 0, std::string(message.state), message.said_at},
             message.revision};
}

std::string line_of(const MessageRecord& message, std::string_view what) {
  return audit_entry(what, "message", message.key(), message.by, message.reason);
}

}  // namespace

std::string audit_entry(std::string_view what, std::string_view kind, std::string_view id,
                        std::string_view by, std::string_view reason) {
  std::string line;
  json::Writer w(line);
  std::string time;
  append_timestamp(time, Timestamp(std::chrono::milliseconds(wall_ms())));
  w.begin_object().name("ts").string(time);
  w.name("what").string(what);
  w.key(kind).string(id);
  if (!by.empty()) w.name("by").string(by);
  if (!reason.empty()) w.name("reason").string(reason);
  w.end_object();
  return line;
}

std::string MessageRecord::key() const { return key_of(task_id, number); }

Result<std::vector<LogWrite>> Messages::put_new(MessageRecord& message, std::string_view words) {
  message.state = kWaiting;
  if (message.said_at == 0) message.said_at = wall_ms();
  const auto directory = log_.private_directory();
  if (message.sealed.empty() && message.text != words && !directory.empty()) {
    message.sealed = "message-" + random_hex(12);
    DRAGOMAN_CHECK(write_private_file(directory / message.sealed, words));
  }
  std::vector<LogWrite> writes;
  writes.emplace_back(put_of(message));
  writes.emplace_back(Append{"audit", {line_of(message, "said")}, {}});
  return writes;
}

void Messages::take_back(const MessageRecord& message) {
  unseal(message);
  if (message.revision == 0) return;
  // Without its number in the record of the run it is never looked at: it may stay.
  (void)write_one(log_, Drop{std::string(kMessages), message.key(), message.revision});
}

Result<std::vector<MessageRecord>> Messages::of(std::string_view task_id) {
  DRAGOMAN_TRY(const auto records, log_.beginning_with(kMessages, std::string(task_id) + "/", 0));
  std::vector<MessageRecord> messages;
  for (const LogRecord& record : records) {
    DRAGOMAN_TRY(auto message, message_of(record));
    messages.push_back(std::move(message));
  }
  return messages;
}

std::string Messages::words(const MessageRecord& message) const {
  if (message.sealed.empty()) return message.text;
  auto words = read_private_file(log_.private_directory() / message.sealed);
  return words ? *std::move(words) : message.text;
}

void Messages::unseal(const MessageRecord& message) const {
  if (!message.sealed.empty()) remove_private_file(log_.private_directory() / message.sealed);
}

Result<std::optional<MessageRecord>> Messages::get(std::string_view task_id, std::uint64_t number) {
  DRAGOMAN_TRY(const auto record, log_.get(kMessages, key_of(task_id, number)));
  if (!record) return std::optional<MessageRecord>();
  DRAGOMAN_TRY(auto message, message_of(*record));
  return std::optional<MessageRecord>(std::move(message));
}

// `from`: the state that it has to have; empty: any in which it is not settled.
Result<bool> Messages::change(std::string_view task_id, std::uint64_t number, std::string_view from,
                              std::string_view to, std::string_view reason) {
  for (;;) {
    DRAGOMAN_TRY(auto message, get(task_id, number));
    if (!message || message->is_settled() || (!from.empty() && message->state != from))
      return false;
    message->state = to;
    message->reason = reason;
    const MessageRecord before = *message;
    if (message->is_settled()) {
      message->settled_at = wall_ms();
      message->sealed.clear();
    }
    std::vector<LogWrite> writes;
    writes.emplace_back(put_of(*message));
    if (message->is_settled()) writes.emplace_back(Append{"audit", {line_of(*message, to)}, {}});
    DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
    if (!written.front().applied) continue;
    if (message->is_settled()) unseal(before);
    return true;
  }
}

Result<bool> Messages::take(std::string_view task_id, std::uint64_t number) {
  return change(task_id, number, kWaiting, kTaken, {});
}
Result<bool> Messages::put_back(std::string_view task_id, std::uint64_t number) {
  return change(task_id, number, kTaken, kWaiting, {});
}
Result<bool> Messages::deliver(std::string_view task_id, std::uint64_t number) {
  return change(task_id, number, kTaken, kDelivered, {});
}
Result<bool> Messages::fail(std::string_view task_id, std::uint64_t number,
                            std::string_view reason) {
  return change(task_id, number, {}, kUndelivered, reason);
}

Result<void> Messages::remove(std::string_view task_id) {
  DRAGOMAN_TRY(const auto messages, of(task_id));
  std::vector<LogWrite> writes;
  for (const MessageRecord& message : messages) {
    unseal(message);
    writes.emplace_back(Drop{std::string(kMessages), message.key(), message.revision});
  }
  if (writes.empty()) return {};
  DRAGOMAN_TRY(const auto written, log_.write(std::move(writes)));
  (void)written;
  return {};
}

}  // namespace dragoman::ask
