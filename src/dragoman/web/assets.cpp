// SPDX-License-Identifier: Apache-2.0
#include "dragoman/web/assets.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/sha256.hpp"

namespace dragoman::web {

namespace {

constexpr std::string_view kPlainPage = R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>dragoman</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body>
<main>
<h1>dragoman</h1>
<p>The server runs. This build has no dashboard: <code>./dev build</code> makes it where Node is
installed.</p>
<ul>
<li><a href="/api/v1/runs">runs</a>, <a href="/api/v1/questions">open questions</a></li>
<li><a href="/api/v1/openapi.json">the API</a></li>
<li><a href="/metrics">metrics</a></li>
</ul>
</main>
</body>
</html>
)";

std::string_view content_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes = {{
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
  }};
  for (const auto& [ending, type] : kTypes)
    if (name.ends_with(ending)) return type;
  return "application/octet-stream";
}

bool takes(std::string_view accepted, std::string_view coding) {
  while (!accepted.empty()) {
    std::string_view item = accepted.substr(0, accepted.find(','));
    accepted.remove_prefix(std::min(accepted.size(), item.size() + 1));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    if (item.substr(0, item.find(';')) != coding) continue;
    return item.find("q=0") == std::string_view::npos ||
           item.find("q=0.") != std::string_view::npos;
  }
  return false;
}

// Vite puts a hash of the content into the names below assets/.
bool is_forever(std::string_view name) { return name.starts_with("assets/"); }

}  // namespace

Assets::Assets(std::span<const EmbeddedFile> files) {
  for (const EmbeddedFile& file : files) {
    std::string name(file.name);
    if (name.ends_with(".br")) {
      assets_[name.substr(0, name.size() - 3)].brotli = file.bytes;
    } else if (name.ends_with(".gz")) {
      assets_[name.substr(0, name.size() - 3)].gzip = file.bytes;
    } else {
      Asset& asset = assets_[name];
      asset.plain = file.bytes;
      asset.etag = fmt::format("\"{}\"", sha256_hex(file.bytes, 20));
    }
  }
  std::erase_if(assets_, [](const auto& entry) { return entry.second.plain.data() == nullptr; });
}

http::Response Assets::serve(const http::Request& request, std::string_view name) const {
  const Asset& asset = assets_.find(name)->second;
  http::Response response;
  response.fields.add("Content-Type", std::string(content_type(name)));
  response.fields.add("ETag", asset.etag);
  response.fields.add("Vary", "Accept-Encoding");
  response.fields.add("Cache-Control",
                      is_forever(name) ? "public, max-age=31536000, immutable" : "no-cache");
  const std::string_view known = request.fields.find("If-None-Match").value_or("");
  if (known.find(asset.etag) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  const std::string_view accepted = request.fields.find("Accept-Encoding").value_or("");
  response.lasting = asset.plain;
  if (!asset.brotli.empty() && takes(accepted, "br")) {
    response.lasting = asset.brotli;
    response.fields.add("Content-Encoding", "br");
  } else if (!asset.gzip.empty() && takes(accepted, "gzip")) {
    response.lasting = asset.gzip;
    response.fields.add("Content-Encoding", "gzip");
  }
  return response;
}

http::Response plain_page() {
  http::Response response;
  response.fields = {{"Content-Type", "text/html; charset=utf-8"}, {"Cache-Control", "no-cache"}};
  response.lasting = kPlainPage;
  return response;
}

}  // namespace dragoman::web
