// SPDX-License-Identifier: Apache-2.0
// A clone of a repository for one task, gone when the task is.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/process/supervisor.hpp"

namespace dragoman::task {

// Lives in the event loop's thread; git runs beside it. Destroying it ends git and removes the
// directory.
class Workspace {
 public:
  Workspace(boost::asio::io_context& io, std::filesystem::path directory, std::string repository,
            std::string branch);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  void prepare(const std::function<void(const Result<void>&)>& done);
  // Everything that differs from what was cloned, commits included, as git writes it. At most 8
  // MiB.
  void collect(const std::function<void(const Result<std::string>&)>& done);
  void stop();  // what is under way ends with an error

  [[nodiscard]] bool busy() const { return git_ != nullptr; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  using Next = std::function<void(const Result<std::string>&)>;
  void git(const std::vector<std::string>& arguments, const Next& next);

  boost::asio::io_context& io_;
  std::filesystem::path directory_;
  std::string repository_;
  std::string branch_;
  std::string base_;  // the commit that was cloned
  std::unique_ptr<process::Supervisor> git_;
  std::string out_;
  std::string err_;
};

}  // namespace dragoman::task
