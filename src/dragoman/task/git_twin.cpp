// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/git_twin.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "dragoman/log/private_file.hpp"

namespace dragoman::task {

namespace {

namespace fs = std::filesystem;
using process::Descriptor;

constexpr std::string_view kTwinName = "dragoman-git-";
constexpr std::uintmax_t kLargestPatterns = std::uintmax_t{16} << 20U;

// Takes the text up to `end` off the front of `rest`, and the end with it.
std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view text = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  return text;
}

Descriptor locked(const fs::path& directory) {
  Descriptor lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (lock.is_open() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) lock.close();
  return lock;
}

// Who was killed could not tidy up. One that is young may be about to be locked.
void remove_abandoned(const fs::path& place) {
  std::error_code failed;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator each(place, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code ignored;
    if (!each->path().filename().string().starts_with(kTwinName) ||
        fs::last_write_time(each->path(), ignored) > long_ago || ignored)
      continue;
    if (const Descriptor lock = locked(each->path()); lock.is_open())
      fs::remove_all(each->path(), ignored);
  }
}

// Nothing is copied of a file that is not there. One that is too large to hold patterns is refused:
// without it, files that nobody wants to see would count as changed.
Result<void> copy_patterns(const fs::path& from, const fs::path& to) {
  std::error_code absent;
  if (const std::uintmax_t size = fs::file_size(from, absent); !absent && size > kLargestPatterns)
    return Error{ErrorCode::unsupported,
                 fmt::format("git: {} has {} bytes, more than patterns need", from.string(), size)};
  fs::copy_file(from, to, absent);
  return {};
}

Result<void> fill(const fs::path& own, const WorkTree& tree) {
  std::error_code failed;
  for (const char* part : {"objects", "refs", "info"}) {
    if (!failed) fs::create_directory(own / part, failed);
  }
  if (failed)
    return Error{ErrorCode::internal, "git: no directory of our own: " + failed.message()};
  std::ofstream(own / "HEAD") << "ref: refs/heads/none\n";
  std::ofstream config(own / "config");
  config << "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = "
         << tree.format << "\n";
  if (!config.flush()) return Error{ErrorCode::internal, "git: no configuration of our own"};
  // Both hold patterns and names; what a name means is said by the configuration alone.
  DRAGOMAN_CHECK(copy_patterns(tree.exclude, own / "info/exclude"));
  return copy_patterns(tree.attributes, own / "info/attributes");
}

}  // namespace

std::vector<std::string> ask_for_work_tree() {
  return {"rev-parse",
          "--path-format=absolute",
          "--is-inside-work-tree",
          "--show-object-format",
          "--show-toplevel",
          "--git-path",
          "index",
          "--git-path",
          "objects",
          "--git-path",
          "info/exclude",
          "--git-path",
          "info/attributes"};
}

std::vector<std::string> ask_for_settings() {
  return {"config", "-z", "--get-regexp",
          "^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|excludesfile|"
          "attributesfile|checkstat|trustctime|sharedrepository)$"};
}

Result<WorkTree> read_work_tree(std::string_view answer, std::string_view settings) {
  WorkTree tree;
  const bool inside = take_until(answer, '\n') == "true";
  for (std::string* part :
       {&tree.format, &tree.top, &tree.index, &tree.objects, &tree.exclude, &tree.attributes})
    *part = take_until(answer, '\n');
  const bool known = tree.format == "sha1" || tree.format == "sha256";
  if (!inside || !known || tree.attributes.empty() || !answer.empty())
    return Error{ErrorCode::unsupported, "git: this is no working tree"};
  while (!settings.empty()) {
    std::string_view value = take_until(settings, '\0');
    const bool said = value.find('\n') != std::string_view::npos;
    const std::string_view name = take_until(value, '\n');
    tree.settings.push_back(fmt::format("{}={}", name, said ? value : "true"));
  }
  return tree;
}

Result<WorkTree> find_work_tree(const Git& git) {
  DRAGOMAN_TRY(const std::string answer, git.run(ask_for_work_tree()));
  const auto settings = git.run(ask_for_settings());  // a failure says that there are none
  return read_work_tree(answer, settings ? *settings : std::string());
}

Result<std::unique_ptr<GitTwin>> GitTwin::make(const std::string& directory, WorkTree tree,
                                               const fs::path& place, Objects objects) {
  std::error_code failed;
  const fs::path parent = place.empty() ? fs::temp_directory_path(failed) : place;
  if (!failed) failed = make_private_directories(parent);
  if (failed)
    return Error{ErrorCode::internal, "git: no directory of our own: " + failed.message()};
  remove_abandoned(parent);
  std::string path = (parent / kTwinName).string() + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return Error{ErrorCode::internal, "git: no directory of our own to be had"};
  const fs::path own(path);
  std::vector<std::string> settings;
  for (const auto& setting : tree.settings) settings.insert(settings.end(), {"-c", setting});
  std::vector<std::string> environment = {"GIT_DIR=" + own.string(), "GIT_WORK_TREE=" + tree.top,
                                          "GIT_INDEX_FILE=" + (own / "index").string(),
                                          "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"};
  if (objects == Objects::theirs) {
    environment.push_back("GIT_OBJECT_DIRECTORY=" + tree.objects);
  } else {
    environment.push_back("GIT_ALTERNATE_OBJECT_DIRECTORIES=" + tree.objects);
  }
  std::unique_ptr<GitTwin> twin(
      new GitTwin(Git(directory, std::move(settings), std::move(environment)), std::move(tree), own,
                  locked(own)));
  DRAGOMAN_CHECK(fill(own, twin->tree_));
  return twin;
}

GitTwin::~GitTwin() {
  std::error_code ignored;
  fs::remove_all(own_, ignored);
}

void GitTwin::take_index() const {
  copy_index(tree_.index, own_ / "index");
  // A split one has most of its entries in a file beside it.
  std::error_code failed;
  for (fs::directory_iterator each(fs::path(tree_.index).parent_path(), failed), end;
       !failed && each != end; each.increment(failed)) {
    const std::string name = each->path().filename().string();
    if (name.starts_with("sharedindex.")) copy_index(each->path(), own_ / name);
  }
}

std::vector<std::string> GitTwin::list_entries() {
  return {"ls-files", "-z", "--stage", "--full-name", "--", ":/"};
}

std::vector<GitLink> GitTwin::links_among(std::string_view entries) {
  std::vector<GitLink> links;
  while (!entries.empty()) {
    std::string_view path = take_until(entries, '\0');  // "160000 ID 0\tPATH"
    std::string_view facts = take_until(path, '\t');
    if (take_until(facts, ' ') != "160000") continue;
    const std::string_view id = take_until(facts, ' ');
    links.push_back({std::string(id), std::string(path), facts == "0"});
  }
  return links;
}

std::vector<std::string> GitTwin::change_entries() {
  return {"update-index", "-z", "--index-info"};
}

std::string GitTwin::without(const std::vector<GitLink>& links) {
  std::string input;
  for (const GitLink& link : links) input += fmt::format("0 {}\t{}", link.id, link.path) + '\0';
  return input;
}

std::string GitTwin::again(const std::vector<GitLink>& links) const {
  std::string input;
  for (const GitLink& link : links) {
    std::error_code absent;
    if (link.merged && fs::is_empty(fs::path(tree_.top) / link.path, absent) && !absent)
      input += fmt::format("160000 {}\t{}", link.id, link.path) + '\0';
  }
  return input;
}

std::vector<std::string> GitTwin::add_all(const std::string& path) {
  return {"add", "--all", "--ignore-errors", "--", path};
}

Result<std::string> GitTwin::write_tree(const std::string& path, Unreadable unreadable) const {
  take_index();
  DRAGOMAN_TRY(const std::string entries, git_.run(list_entries()));
  const auto links = links_among(entries);
  const auto change = [this](const std::string& input) -> Result<void> {
    if (input.empty()) return {};
    DRAGOMAN_TRY(const std::string changed, git_.run(change_entries(), {}, input));
    (void)changed;
    return {};
  };
  DRAGOMAN_CHECK(change(without(links)));
  const int fine = unreadable == Unreadable::left_out ? kSomeLeftOut : 0;
  DRAGOMAN_TRY(const std::string added, git_.run(add_all(path), {}, {}, fine));
  (void)added;
  DRAGOMAN_CHECK(change(again(links)));
  // Of a partial clone some objects are elsewhere, and nobody fetches them for us.
  DRAGOMAN_TRY(const std::string tree, git_.run({"write-tree", "--missing-ok"}));
  return tree.substr(0, tree.find('\n'));
}

}  // namespace dragoman::task
