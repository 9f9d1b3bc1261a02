// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/workspace.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "dragoman/base/utf8.hpp"
#include "dragoman/log/private_file.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/run/one_line.hpp"

namespace dragoman::task {

namespace {

constexpr std::size_t kMostDiff = std::size_t{8} << 20U;
constexpr std::size_t kMostEntries = std::size_t{64} << 20U;  // of its index, as text
constexpr std::size_t kMostTalk = 16 * 1024;
constexpr std::size_t kMostLeftOut = 1000;  // of what is said about it
constexpr std::size_t kMostKept = 8;
constexpr std::chrono::minutes kGitPatience(10);

// Cloning is the worker's own business: it needs the network, and the keys and helpers that were
// set up for it.
std::vector<std::string> clone_surroundings() {
  return process::make_environment(
      process::EnvironmentPolicy::allow_list, process::own_environment(),
      {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
       "GIT_ASKPASS", "SSH_ASKPASS", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_CONFIG_GLOBAL",
       "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"});
}

// Half of a file's difference cannot be applied; of a single one there is nothing better.
std::string_view whole_files(std::string_view diff) {
  const std::size_t last = diff.rfind("\ndiff --git ");
  const std::size_t end = last != std::string_view::npos ? last : diff.rfind('\n');
  return diff.substr(0, std::min(end, diff.size() - 1) + 1);
}

// All but the newest.
void remove_old(const std::filesystem::path& kept) {
  std::error_code failed;
  std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> clones;
  for (std::filesystem::directory_iterator each(kept, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code gone;
    clones.emplace_back(std::filesystem::last_write_time(each->path(), gone), each->path());
  }
  std::sort(clones.begin(), clones.end(), std::greater<>());
  for (std::size_t i = kMostKept; i < clones.size(); ++i)
    std::filesystem::remove_all(clones[i].second, failed);
}

}  // namespace

Workspace::Workspace(boost::asio::io_context& io, std::filesystem::path directory,
                     std::string repository, std::string branch)
    : io_(io),
      directory_(std::move(directory)),
      repository_(std::move(repository)),
      branch_(std::move(branch)) {}

Workspace::~Workspace() {
  git_.reset();
  twin_.reset();
  std::error_code ignored;  // whoever looks after the machine finds what stays behind
  std::filesystem::remove_all(directory_, ignored);
}

std::filesystem::path Workspace::keep() {
  if (!kept_.empty()) return kept_;
  const std::filesystem::path kept = directory_.parent_path() / "kept";
  std::filesystem::path place = kept / directory_.filename();
  std::error_code failed = make_private_directories(kept);
  if (!failed) std::filesystem::remove_all(place, failed);  // of an attempt before
  if (!failed) std::filesystem::rename(directory_, place, failed);
  if (failed) return {};
  std::filesystem::last_write_time(place, std::filesystem::file_time_type::clock::now(), failed);
  remove_old(kept);
  kept_ = std::move(place);
  return kept_;
}

void Workspace::git(Call call, const Next& next) {
  process::Command command;
  command.program = "git";
  command.arguments = std::move(call.words);
  command.environment = std::move(call.environment);
  if (!call.input.empty()) command.stdin_from = process::Stdin::pipe;
  command.directory = directory_.parent_path().string();
  process::Settings settings;
  settings.limits = {std::chrono::milliseconds(0), std::chrono::milliseconds(kGitPatience),
                     std::chrono::milliseconds(0), std::chrono::milliseconds(0)};
  process::Handlers handlers;
  handlers.output = [this, limit = call.most == 0 ? kMostDiff : call.most](process::Stream stream,
                                                                           std::string_view bytes) {
    std::string& to = stream == process::Stream::stderr_ ? err_ : out_;
    const std::size_t most = stream == process::Stream::stderr_ ? kMostTalk : limit;
    const std::string_view taken = bytes.substr(0, most - std::min(most, to.size()));
    to.append(taken);
    if (stream != process::Stream::stderr_) dropped_ += bytes.size() - taken.size();
  };
  handlers.ended = [this, what = call.what, also_fine = call.also_fine,
                    next](const process::Outcome& outcome) {
    git_.reset();
    const int code = process::exit_code_of(outcome.exit);
    if (code == 0) return next(std::move(out_));
    const std::string said = one_line(err_);
    if (code == also_fine) {
      left_out_ = utf8::head(said, kMostLeftOut);
      return next(std::move(out_));
    }
    next(Error{
        ErrorCode::tool_error,
        fmt::format("git {}: {}", what, said.empty() ? process::describe(outcome.exit) : said),
        "workspace"});
  };
  out_.clear();
  err_.clear();
  dropped_ = 0;
  auto started = process::Supervisor::start(io_, command, settings, std::move(handlers));
  if (!started) return next(std::move(started).error().while_doing("git"));
  git_ = *std::move(started);
  if (call.input.empty()) return;
  git_->write(std::move(call.input));
  git_->close_stdin();
}

void Workspace::prepare(const Done& done) {
  std::error_code failed = make_private_directories(directory_.parent_path());
  std::filesystem::remove_all(directory_, failed);  // of an attempt that was cut off
  std::vector<std::string> clone = {"-c", "protocol.ext.allow=never", "clone", "--quiet",
                                    "--no-hardlinks"};
  if (!branch_.empty()) clone.insert(clone.end(), {"--branch", branch_});
  clone.insert(clone.end(), {"--", repository_, directory_.string()});
  git({"clone", Git(directory_.parent_path().string()).words(clone), clone_surroundings(), {}},
      [this, done](const Result<std::string>& cloned) {
        if (!cloned) return done(cloned.error());
        look_at_clone(done);
      });
}

void Workspace::look_at_clone(const Done& done) {
  const Git plain(directory_.string());
  git({"rev-parse", plain.words({"rev-parse", "HEAD"}), plain.surroundings(), {}},
      [this, done, plain](const Result<std::string>& head) {
        // A repository without a commit has none.
        base_ = head ? head->substr(0, head->find('\n')) : std::string();
        git({"rev-parse", plain.words(ask_for_work_tree()), plain.surroundings(), {}},
            [this, done](const Result<std::string>& tree) {
              if (!tree) return done(tree.error());
              look_at_settings(*tree, done);
            });
      });
}

void Workspace::look_at_settings(const std::string& tree, const Done& done) {
  const Git plain(directory_.string());
  git({"config", plain.words(ask_for_settings()), plain.surroundings(), {}},
      [this, done, tree](const Result<std::string>& settings) {
        auto found = read_work_tree(tree, settings ? *settings : std::string());
        if (!found) return done(std::move(found).error());
        auto twin = GitTwin::make(directory_.string(), *std::move(found), directory_.parent_path(),
                                  GitTwin::Objects::ours);
        if (!twin) return done(std::move(twin).error());
        twin_ = *std::move(twin);
        done({});
      });
}

void Workspace::ours(const std::vector<std::string>& arguments, std::string input,
                     const Next& failed, const std::function<void(const std::string&)>& then,
                     std::size_t most) {
  git({arguments.front(), twin_->git().words(arguments), twin_->git().surroundings(),
       std::move(input), most},
      [failed, then](const Result<std::string>& said) {
        if (!said) return failed(said);
        then(*said);
      });
}

// As GitTwin::write_tree() does it, beside the event loop.
void Workspace::collect(const Next& done) {
  if (base_.empty() || twin_ == nullptr) return done(std::string());
  left_out_.clear();
  cut_off_ = 0;
  twin_->take_index();
  const auto take = [this, done](const std::string& entries) {
    // Behind the limit there could be a link.
    if (entries.size() >= kMostEntries)
      return done(Error{ErrorCode::unsupported, "git: far too many files", "workspace"});
    add_all(GitTwin::links_among(entries), done);
  };
  ours(GitTwin::list_entries(), {}, done, take, kMostEntries);
}

void Workspace::add_all(const std::vector<GitLink>& links, const Next& done) {
  const auto restore = [this, done, links](const std::string&) {
    ours(GitTwin::change_entries(), twin_->again(links), done,
         [this, done](const std::string&) { show_difference(done); });
  };
  const auto add = [this, done, restore](const std::string&) {
    const Git& git_of_ours = twin_->git();
    git({"add",
         git_of_ours.words(GitTwin::add_all(".")),
         git_of_ours.surroundings(),
         {},
         0,
         GitTwin::kSomeLeftOut},
        [done, restore](const Result<std::string>& added) {
          if (!added) return done(added);
          restore(*added);
        });
  };
  ours(GitTwin::change_entries(), GitTwin::without(links), done, add);
}

// What is not text has to be in it too: the clone is gone when somebody applies it.
void Workspace::show_difference(const Next& done) {
  ours({"diff", "--cached", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", base_}, {},
       done, [this, done](const std::string& diff) {
         if (dropped_ == 0) return done(diff);
         const std::string kept(whole_files(diff));
         cut_off_ = dropped_ + (diff.size() - kept.size());
         done(kept);
       });
}

void Workspace::stop() {
  if (git_ != nullptr) git_->stop(std::chrono::milliseconds(0));
}

}  // namespace dragoman::task
