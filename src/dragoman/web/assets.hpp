// SPDX-License-Identifier: Apache-2.0
// The dashboard's files, from memory.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "dragoman/base/embedded.hpp"
#include "dragoman/http/message.hpp"

namespace dragoman::web {

class Assets {
 public:
  explicit Assets(std::span<const EmbeddedFile> files);

  [[nodiscard]] bool empty() const { return assets_.find("index.html") == assets_.end(); }
  [[nodiscard]] bool has(std::string_view name) const {
    return assets_.find(name) != assets_.end();
  }
  // In the best encoding the browser takes; 304 where it has that already. `name` must exist.
  [[nodiscard]] http::Response serve(const http::Request& request, std::string_view name) const;

 private:
  struct Asset {
    std::string_view plain;
    std::string_view gzip;
    std::string_view brotli;
    std::string etag;  // of the plain bytes, with quotes
  };
  std::map<std::string, Asset, std::less<>> assets_;
};

// What is shown where the dashboard was not built.
[[nodiscard]] http::Response plain_page();

}  // namespace dragoman::web
