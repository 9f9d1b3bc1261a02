// SPDX-License-Identifier: Apache-2.0
// A clone of a repository for one task, gone when the task is, unless somebody keeps it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dragoman/base/result.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/task/git_twin.hpp"

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
  // Everything that differs from what was cloned, commits included, as git writes it: the files
  // that fit into 8 MiB. Nothing is started that an agent wrote into its clone. Empty for one that
  // was not prepared.
  void collect(const std::function<void(const Result<std::string>&)>& done);
  // What collect() could not read and went on without, in git's words; empty: nothing.
  [[nodiscard]] const std::string& left_out() const { return left_out_; }
  // How many bytes of the difference collect() had no room for.
  [[nodiscard]] std::size_t cut_off() const { return cut_off_; }
  // Puts the clone where it outlives us, with the newest few of those that were kept before, and
  // says where; empty: that cannot be done. Once is enough.
  [[nodiscard]] std::filesystem::path keep();
  void stop();  // what is under way ends with an error

  [[nodiscard]] bool busy() const { return git_ != nullptr; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  using Done = std::function<void(const Result<void>&)>;
  using Next = std::function<void(const Result<std::string>&)>;
  struct Call {
    std::string what;  // for messages
    std::vector<std::string> words;
    std::vector<std::string> environment;
    std::string input;     // its stdin
    std::size_t most = 0;  // of its output; 0: as much as of a difference
    int also_fine = 0;     // an exit code that says that something was left out
  };
  void git(Call call, const Next& next);
  void look_at_clone(const Done& done);
  void look_at_settings(const std::string& tree, const Done& done);
  // Git in our own git directory; `then` is called when it went well, else `failed`.
  void ours(const std::vector<std::string>& arguments, std::string input, const Next& failed,
            const std::function<void(const std::string&)>& then, std::size_t most = 0);
  void add_all(const std::vector<GitLink>& links, const Next& done);
  void show_difference(const Next& done);

  boost::asio::io_context& io_;
  std::filesystem::path directory_;
  std::string repository_;
  std::string branch_;
  std::string base_;               // the commit that was cloned
  std::unique_ptr<GitTwin> twin_;  // made before anybody could write into the clone
  std::unique_ptr<process::Supervisor> git_;
  std::string out_;
  std::string err_;
  std::string left_out_;
  std::size_t dropped_ = 0;  // of out_, beyond its limit
  std::size_t cut_off_ = 0;
  std::filesystem::path kept_;  // where keep() has put it
};

}  // namespace dragoman::task
