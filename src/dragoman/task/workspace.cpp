// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/workspace.hpp"

#include <fmt/format.h>

#include "dragoman/log/private_file.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kMostDiff = std::size_t{8} << 20U;
constexpr std::size_t kMostTalk = 16 * 1024;
constexpr std::chrono::minutes kGitPatience(10);

}  // namespace

Workspace::Workspace(boost::asio::io_context& io, std::filesystem::path directory,
                     std::string repository, std::string branch)
    : io_(io),
      directory_(std::move(directory)),
      repository_(std::move(repository)),
      branch_(std::move(branch)) {}

Workspace::~Workspace() {
  git_.reset();
  std::error_code ignored;  // whoever looks after the machine finds what stays behind
  std::filesystem::remove_all(directory_, ignored);
}

void Workspace::git(const std::vector<std::string>& arguments, const Next& next) {
  process::Command command;
  command.program = "git";
  // Nothing of the repository may start a program here: no hooks, no monitors, no questions.
  command.arguments = {"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
                       "-c", "protocol.ext.allow=never"};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = process::own_environment();
  command.environment.emplace_back("GIT_TERMINAL_PROMPT=0");
  command.directory = directory_.parent_path().string();
  process::Settings settings;
  settings.limits = {std::chrono::milliseconds(0), std::chrono::milliseconds(kGitPatience),
                     std::chrono::milliseconds(0), std::chrono::milliseconds(0)};
  process::Handlers handlers;
  handlers.output = [this](process::Stream stream, std::string_view bytes) {
    std::string& to = stream == process::Stream::stderr_ ? err_ : out_;
    const std::size_t most = stream == process::Stream::stderr_ ? kMostTalk : kMostDiff;
    to.append(bytes.substr(0, most - std::min(most, to.size())));
  };
  handlers.ended = [this, what = arguments.front(), next](const process::Outcome& outcome) {
    git_.reset();
    if (process::exit_code_of(outcome.exit) == 0) return next(std::move(out_));
    const std::string said = one_line(err_);
    next(Error{
        ErrorCode::tool_error,
        fmt::format("git {}: {}", what, said.empty() ? process::describe(outcome.exit) : said),
        "workspace"});
  };
  out_.clear();
  err_.clear();
  auto started = process::Supervisor::start(io_, command, settings, std::move(handlers));
  if (!started) return next(std::move(started).error().while_doing("git"));
  git_ = *std::move(started);
}

void Workspace::prepare(const std::function<void(const Result<void>&)>& done) {
  std::error_code failed = make_private_directories(directory_.parent_path());
  std::filesystem::remove_all(directory_, failed);  // of an attempt that was cut off
  std::vector<std::string> clone = {"clone", "--quiet", "--no-hardlinks"};
  if (!branch_.empty()) clone.insert(clone.end(), {"--branch", branch_});
  clone.insert(clone.end(), {"--", repository_, directory_.string()});
  git(clone, [this, done](const Result<std::string>& cloned) {
    if (!cloned) return done(cloned.error());
    git({"-C", directory_.string(), "rev-parse", "HEAD"},
        [this, done](const Result<std::string>& head) {
          // A repository without a commit has none.
          base_ = head ? head->substr(0, head->find('\n')) : std::string();
          done({});
        });
  });
}

void Workspace::collect(const std::function<void(const Result<std::string>&)>& done) {
  if (base_.empty()) return done(std::string());
  git({"-C", directory_.string(), "add", "--all"}, [this, done](const Result<std::string>& added) {
    if (!added) return done(added);
    git({"-C", directory_.string(), "diff", "--cached", "--no-color", "--no-ext-diff", base_},
        done);
  });
}

void Workspace::stop() {
  if (git_ != nullptr) git_->stop(std::chrono::milliseconds(0));
}

}  // namespace dragoman::task
