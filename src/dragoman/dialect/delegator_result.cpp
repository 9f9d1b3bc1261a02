// SPDX-License-Identifier: Apache-2.0
#include "dragoman/dialect/delegator_result.hpp"

#include "dragoman/dialect/line_events.hpp"
#include "dragoman/json/number.hpp"

namespace dragoman {
namespace {

using D = DelegatorData;
constexpr FieldTable kData({
    Slot<D>{"task_id", &D::task_id},
    {"thread_id", &D::thread_id},
    {"state", &D::state},
    {"status", &D::status},
    {"summary", &D::summary},
    {"duration_seconds", &D::duration_seconds},
    {"duration_ms", &D::duration_ms},
    {"metadata", &D::metadata},
    {"output", &D::output},
    {"pending_questions", &D::pending_questions},
    {"tasks", &D::tasks},
    {"queue", &D::queue},
    {"recently_completed", &D::recently_completed},
    {"progress", &D::progress},
    {"position", &D::position},
    {"queue_position", &D::queue_position},
    {"estimated_start_ms", &D::estimated_start_ms},
    {"accepted", &D::accepted},
    {"capability", &D::capability},
    {"expected_duration", &D::expected_duration},
    {"operation", &D::operation},
    {"exit_code", &D::exit_code},
});

struct RawMetadata {
  json::Value duration;
  json::Value duration_seconds;
  json::Value file_operations;
  json::Value files_changed;
  json::Value files_added;
  json::Value files_deleted;
  json::Value lines_added;
  json::Value lines_removed;
  json::Value test_results;
  json::Value thread_info;
  json::Value tokens;
  json::Value error_context;
  json::Value task_status;
  json::Value cache_hit_rate;
};
using M = RawMetadata;
constexpr FieldTable kMetadata({
    Slot<M>{"duration", &M::duration},
    {"duration_seconds", &M::duration_seconds},
    {"file_operations", &M::file_operations},
    {"files_changed", &M::files_changed},
    {"files_added", &M::files_added},
    {"files_deleted", &M::files_deleted},
    {"lines_added", &M::lines_added},
    {"lines_removed", &M::lines_removed},
    {"test_results", &M::test_results},
    {"thread_info", &M::thread_info},
    {"tokens", &M::tokens},
    {"error_context", &M::error_context},
    {"task_status", &M::task_status},
    {"cache_hit_rate", &M::cache_hit_rate},
});

struct RawFiles {
  json::Value modified;
  json::Value added;
  json::Value deleted;
};
constexpr FieldTable kFiles({
    Slot<RawFiles>{"modified_files", &RawFiles::modified},
    {"added_files", &RawFiles::added},
    {"deleted_files", &RawFiles::deleted},
});

struct RawTests {
  json::Value passed;
  json::Value failed;
  json::Value skipped;
  json::Value failed_tests;
};
constexpr FieldTable kTests({
    Slot<RawTests>{"passed", &RawTests::passed},
    {"failed", &RawTests::failed},
    {"skipped", &RawTests::skipped},
    {"failed_tests", &RawTests::failed_tests},
});

struct RawThread {
  json::Value thread_id;
  json::Value cache_hit_rate;
  json::Value token_usage;
};
constexpr FieldTable kThread({
    Slot<RawThread>{"thread_id", &RawThread::thread_id},
    {"cache_hit_rate", &RawThread::cache_hit_rate},
    {"token_usage", &RawThread::token_usage},
});

using O = DelegatorMetadata;
constexpr FieldTable kTokenUsage({
    Slot<O>{"input_tokens", &O::input_tokens},
    {"cached_input_tokens", &O::cached_tokens},
    {"output_tokens", &O::output_tokens},
});
constexpr FieldTable kTokens({
    Slot<O>{"input", &O::input_tokens},
    {"cached", &O::cached_tokens},
    {"output", &O::output_tokens},
});

struct ErrorContext {
  json::Value message;
  json::Value type;
  json::Value suggestions;
};
constexpr FieldTable kErrorContext({
    Slot<ErrorContext>{"error_message", &ErrorContext::message},
    {"error_type", &ErrorContext::type},
    {"suggestions", &ErrorContext::suggestions},
});

struct RawStatus {
  json::Value status;
};
constexpr FieldTable kStatus({Slot<RawStatus>{"status", &RawStatus::status}});

bool is_object(const json::Value& value) { return value.is(json::Kind::object); }

void add_files(const json::Value& list, FileAction action, std::vector<FileChange>& out,
               Arena& arena) {
  if (!list.is(json::Kind::array)) return;
  json::Cursor cursor(list.raw);
  for (json::Elements elements(cursor); elements.next();) {
    const std::string_view path = string_of(cursor.take(), arena);
    if (path.data() != nullptr) out.push_back({path, action, {}, {}});
  }
}

std::int64_t count_of(const json::Value& value) {
  if (!value.is(json::Kind::number)) return 0;
  return json::parse_number(value.raw).value.whole().value_or(0);
}

void note_rate(const json::Value& rate, Variants& variants) {
  if (rate.is(json::Kind::number) && json::parse_number(rate.raw).value.real > 1) {
    variants.note("cache_hit_rate is a percentage");
  }
}

void read_files(const RawMetadata& raw, DelegatorMetadata& out, Variants& variants, Arena& arena) {
  RawFiles files;
  if (is_object(raw.file_operations)) read_object(raw.file_operations.raw, kFiles, files);
  if (!raw.files_changed.absent() || !raw.files_added.absent() || !raw.files_deleted.absent()) {
    variants.note("metadata has files_changed, files_added or files_deleted");
    if (files.modified.absent()) files.modified = raw.files_changed;
    if (files.added.absent()) files.added = raw.files_added;
    if (files.deleted.absent()) files.deleted = raw.files_deleted;
  }
  if (!raw.lines_added.absent() || !raw.lines_removed.absent()) {
    variants.note("metadata has lines_added or lines_removed");
  }
  add_files(files.modified, FileAction::modified, out.files, arena);
  add_files(files.added, FileAction::created, out.files, arena);
  add_files(files.deleted, FileAction::deleted, out.files, arena);
}

void read_tests(const json::Value& value, DelegatorMetadata& out, Arena& arena) {
  if (!is_object(value)) return;
  RawTests tests;
  read_object(value.raw, kTests, tests);
  out.has_tests = true;
  out.tests.passed = count_of(tests.passed);
  out.tests.failed = count_of(tests.failed);
  out.tests.skipped = count_of(tests.skipped);
  if (tests.failed_tests.is(json::Kind::array)) {
    json::Cursor cursor(tests.failed_tests.raw);
    for (json::Elements elements(cursor); elements.next();) {
      const std::string_view name = string_of(cursor.take(), arena);
      if (name.data() != nullptr) out.failed_tests.push_back({name, "failed", {}});
    }
  }
  out.tests.tests = out.failed_tests;
}

void read_thread(const RawMetadata& raw, DelegatorMetadata& out, Variants& variants, Arena& arena) {
  RawThread thread;
  if (is_object(raw.thread_info)) read_object(raw.thread_info.raw, kThread, thread);
  out.thread_id = string_of(thread.thread_id, arena);
  note_rate(thread.cache_hit_rate, variants);
  note_rate(raw.cache_hit_rate, variants);
  if (is_object(thread.token_usage)) {
    out.has_usage = true;
    read_object(thread.token_usage.raw, kTokenUsage, out);
  } else if (is_object(raw.tokens)) {
    variants.note("metadata has tokens");
    out.has_usage = true;
    read_object(raw.tokens.raw, kTokens, out);
  }
}

}  // namespace

DelegatorData read_delegator_data(std::string_view object) {
  DelegatorData data;
  read_object(object, kData, data);
  return data;
}

DelegatorData read_delegator_data(const json::Value& meta, const json::Value& data) {
  DelegatorData read;
  if (is_object(meta)) read_object(meta.raw, kData, read);
  if (is_object(data)) read_object(data.raw, kData, read);
  return read;
}

void read_delegator_metadata(const json::Value& metadata, DelegatorMetadata& out,
                             Variants& variants, Arena& arena) {
  if (!is_object(metadata)) return;
  RawMetadata raw;
  read_object(metadata.raw, kMetadata, raw);
  read_files(raw, out, variants, arena);
  read_tests(raw.test_results, out, arena);
  read_thread(raw, out, variants, arena);
  out.duration = raw.duration;
  if (!raw.duration_seconds.absent()) {
    variants.note("metadata has duration_seconds");
    if (raw.duration.absent()) out.duration = raw.duration_seconds;
  }
  if (is_object(raw.task_status)) {
    variants.note("task_status is an object");
    RawStatus status;
    read_object(raw.task_status.raw, kStatus, status);
    out.task_status = string_of(status.status, arena);
  } else {
    out.task_status = string_of(raw.task_status, arena);
  }
  if (is_object(raw.error_context)) {
    ErrorContext error;
    read_object(raw.error_context.raw, kErrorContext, error);
    out.error_message = string_of(error.message, arena);
    out.error_type = error.type;
    if (error.suggestions.is(json::Kind::array)) {
      json::Cursor cursor(error.suggestions.raw);
      json::Elements elements(cursor);
      if (elements.next()) out.suggestion = string_of(cursor.take(), arena);
    }
  }
}

}  // namespace dragoman
