// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/route.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"
#include "dragoman/task/service.hpp"
#include "dragoman/web/views.hpp"

namespace dragoman::web {

namespace {

std::string_view next_segment(std::string_view& path) {
  if (!path.empty() && path.front() == '/') path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// What is asked for does not fit how the run is, and would do later or of another one.
bool is_conflict(std::string_view reason) {
  return reason == task::kCannotGoOn || reason == task::kNotAtWork;
}

// Segments are cut before they are decoded: an id may contain an escaped slash.
bool matches(std::string_view pattern, std::string_view path, std::vector<std::string>& parts) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_segment(pattern);
    if (wanted == "*") {
      parts.emplace_back(path.substr(1));
      return true;
    }
    const std::string_view raw = next_segment(path);
    const bool literal = !wanted.starts_with('{');
    if (literal && wanted == raw) continue;
    if (literal && raw.find('%') == std::string_view::npos) return false;
    const auto given = http::percent_decoded(raw);
    if (!given) return false;
    if (!literal) {
      if (given->empty()) return false;
      parts.push_back(*given);
    } else if (wanted != *given) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

bool is_json(const http::Request& head) {
  if (head.fields.count("Content-Type") != 1) return false;
  const std::string_view type = head.fields.find("Content-Type").value_or("");
  return ascii::same_letters(ascii::trimmed(type.substr(0, type.find(';'))), "application/json");
}

Router::Match Router::find(const http::Request& request) const {
  Match match;
  const std::string_view target = request.target;
  const std::string_view path = target.substr(0, target.find('?'));
  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  for (const auto& route : routes_) {
    std::vector<std::string> parts;
    if (!matches(route.path, path, parts)) continue;
    if (route.method == method) return {&route, std::move(parts), {}};
    match.allowed.append(match.allowed.empty() ? "" : ", ").append(route.method);
  }
  return match;
}

std::function<void(Call, http::Reply)> answering(Answer answer) {
  return [answer = std::move(answer)](const Call& call, http::Reply reply) {
    reply.send(answer(call));
  };
}

http::Response json_response(int status, std::string body) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          std::move(body)};
}

http::Response error_response(int status, std::string_view code, std::string_view message,
                              std::string_view details) {
  return json_response(status, error_body(code, message, details));
}

http::Response error_response(const Error& error) {
  const std::string_view reason = error.reason;
  switch (error.code) {
    case ErrorCode::validation:
      return error_response(is_conflict(reason) ? 409 : 422, reason.empty() ? "validation" : reason,
                            error.message, error.details);
    case ErrorCode::not_found:
      return error_response(404, reason.empty() ? "not_found" : reason, error.message);
    case ErrorCode::unsupported:
      return error_response(501, "unsupported", error.message);
    case ErrorCode::timeout:
      return error_response(503, "timeout", error.message);
    case ErrorCode::tool_error:
    case ErrorCode::internal:
      break;
  }
  return error_response(is_disk_full(error) ? 503 : 500, reason.empty() ? "internal" : reason,
                        error.message);
}

}  // namespace dragoman::web
