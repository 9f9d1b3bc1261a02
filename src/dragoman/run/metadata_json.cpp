// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/metadata.hpp"

namespace dragoman {

namespace {

void put_list(json::Writer& w, const std::vector<std::string>& list) {
  w.begin_array();
  for (const auto& item : list) w.string(item);
  w.end_array();
}

void put_thread(json::Writer& w, const Metadata& metadata) {
  w.name("thread_info").begin_object();
  if (!metadata.thread_id.empty()) w.name("thread_id").string(metadata.thread_id);
  if (metadata.tokens) {
    if (const auto rate = cache_hit_rate(*metadata.tokens)) w.name("cache_hit_rate").real(*rate);
    w.name("token_usage").begin_object();
    w.name("input_tokens").integer(metadata.tokens->total_input);
    w.name("cached_input_tokens").integer(metadata.tokens->cached_input);
    w.name("output_tokens").integer(metadata.tokens->output);
    w.end_object();
  }
  w.end_object();
}

void put_error(json::Writer& w, const ErrorContext& error) {
  w.begin_object();
  w.name("error_message").string(error.error_message);
  if (!error.error_type.empty()) w.name("error_type").string(error.error_type);
  w.name("failed_files");
  put_list(w, error.failed_files);
  w.name("error_locations").begin_array();
  for (const SourceLocation& location : error.error_locations) {
    w.begin_object().name("file").string(location.file);
    w.name("line").integer(location.line);
    if (location.column) w.name("column").integer(*location.column);
    w.end_object();
  }
  w.end_array();
  w.name("suggestions");
  put_list(w, error.suggestions);
  if (!error.timeout_type.empty()) {
    w.name("timeout_type").string(error.timeout_type);
    w.name("elapsed_seconds").integer(error.elapsed_seconds);
    if (!error.partial_results.empty()) w.name("partial_results").raw({error.partial_results});
  }
  w.end_object();
}

}  // namespace

void put_metadata(json::Writer& w, const Metadata& metadata) {
  w.begin_object();
  w.name("duration").integer(metadata.duration);
  const FileOperations& files = metadata.file_operations;
  w.name("file_operations").begin_object();
  w.name("modified_files");
  put_list(w, files.modified_files);
  w.name("added_files");
  put_list(w, files.added_files);
  w.name("deleted_files");
  put_list(w, files.deleted_files);
  w.name("lines_changed").integer(files.lines_changed);
  w.end_object();
  if (metadata.test_results) {
    w.name("test_results").begin_object();
    w.name("passed").integer(metadata.test_results->passed);
    w.name("failed").integer(metadata.test_results->failed);
    w.name("skipped").integer(metadata.test_results->skipped);
    w.name("failed_tests");
    put_list(w, metadata.test_results->failed_tests);
    w.end_object();
  }
  if (!metadata.thread_id.empty() || metadata.tokens) put_thread(w, metadata);
  w.name("error_context");
  if (metadata.error_context) {
    put_error(w, *metadata.error_context);
  } else {
    w.null();
  }
  w.name("task_status").word(name(metadata.task_status));
  w.end_object();
}

}  // namespace dragoman
