// SPDX-License-Identifier: Apache-2.0
#include "dragoman/engine/claims.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace dragoman::engine {
namespace {

enum class Found : std::uint8_t { yes, no, outside };

// O_PATH looks a name up without opening what it names: a pipe or a device is not disturbed.
Found look_up(int workspace, const std::string& path) {
  struct open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long fd = ::syscall(SYS_openat2, workspace, path.c_str(), &how, sizeof(how));
  if (fd >= 0) {
    ::close(static_cast<int>(fd));
    return Found::yes;
  }
  return errno == EXDEV || errno == ELOOP ? Found::outside : Found::no;
}

// The path from the workspace on. Absolute paths count when they lie below it, name by name.
bool make_relative(const std::string& workspace, std::string& path) {
  if (!path.starts_with('/')) return true;
  if (!path.starts_with(workspace) || path.size() <= workspace.size() + 1 ||
      path[workspace.size()] != '/') {
    return false;
  }
  path.erase(0, workspace.size() + 1);
  return !path.starts_with('/');
}

}  // namespace

std::string_view name(ClaimState state) {
  static constexpr std::array<std::string_view, 5> kNames = {"there", "missing", "still_there",
                                                             "outside_workspace", "not_a_path"};
  return kNames.at(static_cast<std::size_t>(state));
}

ClaimState check_claim(const std::string& workspace, std::string_view path, FileAction action) {
  std::string relative(path);
  if (relative.empty() || relative.find('\0') != std::string::npos) return ClaimState::not_a_path;
  if (!make_relative(workspace, relative)) return ClaimState::outside_workspace;
  const int directory = ::open(workspace.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return ClaimState::missing;
  const Found found = look_up(directory, relative);
  ::close(directory);
  if (found == Found::outside) return ClaimState::outside_workspace;
  if (action == FileAction::deleted) {
    return found == Found::yes ? ClaimState::still_there : ClaimState::there;
  }
  return found == Found::yes ? ClaimState::there : ClaimState::missing;
}

std::vector<Claim> check_claims(const RunSummary& run, const std::string& workspace) {
  std::vector<Claim> claims;
  for (const ChangedFile& file : run.files) {
    if (!file.claimed || file.observed) continue;
    claims.push_back({file.path, check_claim(workspace, file.path, file.action)});
  }
  return claims;
}

}  // namespace dragoman::engine
