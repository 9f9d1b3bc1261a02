// SPDX-License-Identifier: Apache-2.0
#include "dragoman/schema/uri.hpp"

#include <cctype>
#include <cstddef>

#include "dragoman/base/ascii.hpp"

namespace dragoman::schema {
namespace {

// Each part with its delimiter, so that putting them together again is concatenation.
struct Parts {
  std::string_view scheme;     // "http:"
  std::string_view authority;  // "//host"
  std::string_view path;
  std::string_view query;  // "?q"
};

bool is_scheme_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

Parts split(std::string_view uri) {
  Parts parts;
  std::size_t n = 0;
  while (n < uri.size() && is_scheme_char(uri[n])) ++n;
  if (n > 0 && n < uri.size() && uri[n] == ':' &&
      std::isalpha(static_cast<unsigned char>(uri[0])) != 0) {
    parts.scheme = uri.substr(0, n + 1);
    uri.remove_prefix(n + 1);
  }
  if (uri.starts_with("//")) {
    parts.authority = uri.substr(0, uri.find_first_of("/?", 2));
    uri.remove_prefix(parts.authority.size());
  }
  parts.path = uri.substr(0, uri.find('?'));
  parts.query = uri.substr(parts.path.size());
  return parts;
}

// RFC 3986, 5.2.4.
std::string without_dot_segments(std::string_view in) {
  std::string out;
  const auto drop_last = [&out] {
    const std::size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!in.empty()) {
    if (in.starts_with("../")) {
      in.remove_prefix(3);
    } else if (in.starts_with("./")) {
      in.remove_prefix(2);
    } else if (in.starts_with("/./")) {
      in.remove_prefix(2);
    } else if (in == "/.") {
      in = "/";
    } else if (in.starts_with("/../")) {
      in.remove_prefix(3);
      drop_last();
    } else if (in == "/..") {
      in = "/";
      drop_last();
    } else if (in == "." || in == "..") {
      in = {};
    } else {
      const std::size_t next = in.find('/', 1);
      out.append(in.substr(0, next));
      in = next == std::string_view::npos ? std::string_view{} : in.substr(next);
    }
  }
  return out;
}

std::string merged(const Parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty()) return std::string("/").append(path);
  const std::size_t slash = base.path.rfind('/');
  std::string out(base.path.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  return out.append(path);
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path,
                   std::string_view query) {
  std::string out(scheme);
  return out.append(authority).append(path).append(query);
}

}  // namespace

SplitReference split_fragment(std::string_view reference) {
  const std::size_t hash = reference.find('#');
  if (hash == std::string_view::npos) return {reference, {}};
  return {reference.substr(0, hash), reference.substr(hash + 1)};
}

std::string resolve(std::string_view base, std::string_view reference) {
  const Parts b = split(base);
  const Parts r = split(reference);
  if (!r.scheme.empty()) {
    return joined(r.scheme, r.authority, without_dot_segments(r.path), r.query);
  }
  if (!r.authority.empty()) {
    return joined(b.scheme, r.authority, without_dot_segments(r.path), r.query);
  }
  if (r.path.empty()) {
    return joined(b.scheme, b.authority, b.path, r.query.empty() ? b.query : r.query);
  }
  const std::string path = r.path.starts_with('/') ? std::string(r.path) : merged(b, r.path);
  return joined(b.scheme, b.authority, without_dot_segments(path), r.query);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        ascii::hex_value(text[i + 1]) >= 0 && ascii::hex_value(text[i + 2]) >= 0;
    if (!escape) {
      out.push_back(text[i]);
      continue;
    }
    out.push_back(
        static_cast<char>(ascii::hex_value(text[i + 1]) * 16 + ascii::hex_value(text[i + 2])));
    i += 2;
  }
  return out;
}

}  // namespace dragoman::schema
