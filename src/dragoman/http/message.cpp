// SPDX-License-Identifier: Apache-2.0
#include "dragoman/http/message.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman::http {

std::optional<std::string_view> Fields::find(std::string_view name) const {
  for (const auto& [field, value] : all_)
    if (ascii::same_letters(field, name)) return value;
  return std::nullopt;
}

void Fields::set(std::string_view name, std::string value) {
  std::erase_if(all_, [&](const Field& field) { return ascii::same_letters(field.first, name); });
  add(std::string(name), std::move(value));
}

std::size_t Fields::count(std::string_view name) const {
  return static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), [&](const Field& field) {
    return ascii::same_letters(field.first, name);
  }));
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = ascii::hex_value(text[i + 1]);
    const int low = ascii::hex_value(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) != name) continue;
    std::string value(pair.substr(std::min(pair.size(), equals + 1)));
    std::replace(value.begin(), value.end(), '+', ' ');
    return percent_decoded(value);
  }
  return std::nullopt;
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

}  // namespace dragoman::http
