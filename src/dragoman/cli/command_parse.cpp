// SPDX-License-Identifier: Apache-2.0
// dragoman parse: any dialect to normalised events.
#include <optional>

#include <fmt/format.h>

#include "dragoman/base/ascii.hpp"
#include "dragoman/base/words.hpp"
#include "dragoman/cli/command_specs.hpp"
#include "dragoman/cli/interrupt.hpp"
#include "dragoman/cli/json_lines.hpp"
#include "dragoman/cli/reading.hpp"
#include "dragoman/cli/suggest.hpp"
#include "dragoman/event/text_lines.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/run/accounting.hpp"

namespace dragoman::cli {
namespace {

// Counts events on their way to the next sink.
class CountingSink final : public EventSink {
 public:
  explicit CountingSink(EventSink& next) : next_(next) {}
  void on_event(const Event& event) override {
    accounting_.on_event(event);
    next_.on_event(event);
  }
  void on_record(const Record& record) override { accounting_.on_record(record); }
  [[nodiscard]] Accounting& accounting() { return accounting_; }

 private:
  EventSink& next_;
  Accounting accounting_;
};

struct FileAccount {
  std::string file;
  Dialect dialect = Dialect::text;
  Account account;
};

// Prints events, counts them, or both.
class ParseTarget final : public StreamTarget {
 public:
  struct Wishes {
    KindSet kinds;
    bool fragments = false;
    bool count_only = false;
    bool stats = false;
  };

  ParseTarget(const ReadingOptions& options, const Wishes& wishes, Console& console)
      : options_(options),
        wishes_(wishes),
        console_(console),
        lines_(console.out(), wishes.kinds, wishes.fragments),
        text_lines_(lines_) {}

  void name_next(const std::string& file) { file_ = file; }

  void begin() override {
    reader_ = open_reader(options_);
    bytes_ = 0;
    lines_.begin_stream();
    counting_.emplace(printing());
    alone_.emplace();
    sink_ = wishes_.count_only ? static_cast<EventSink*>(&*alone_)
            : wishes_.stats    ? &*counting_
                               : &printing();
  }
  bool push(std::string_view bytes) override {
    bytes_ += bytes.size();
    reader_->push(bytes, *sink_);
    return !console_.out().failed();
  }
  void idle() override { reader_->idle(*sink_); }
  void pause() override { (void)console_.out().flush(); }
  void end() override {
    reader_->finish(*sink_);
    text_lines_.flush();
    if (wishes_.count_only || wishes_.stats) {
      Accounting& accounting = wishes_.count_only ? *alone_ : counting_->accounting();
      accounts_.push_back({file_, reader_->dialect(), accounting.close(bytes_, reader_->lines())});
    }
    console_.detail(fmt::format("{}: {}, {}, {}", printable(file_), name(reader_->dialect()),
                                counted(bytes_, "byte"), counted(reader_->lines(), "line")));
  }

  [[nodiscard]] const std::vector<FileAccount>& accounts() const { return accounts_; }

 private:
  // Text that is not shown need not be cut.
  [[nodiscard]] EventSink& printing() {
    const bool with_text = wishes_.kinds[static_cast<std::size_t>(Kind::text)];
    return with_text ? static_cast<EventSink&>(text_lines_) : lines_;
  }

  const ReadingOptions& options_;
  Wishes wishes_;
  Console& console_;
  JsonLines lines_;
  TextLines text_lines_;
  std::optional<CountingSink> counting_;
  std::optional<Accounting> alone_;
  EventSink* sink_ = nullptr;
  std::unique_ptr<Reader> reader_;
  std::uint64_t bytes_ = 0;
  std::string file_;
  std::vector<FileAccount> accounts_;
};

Account total(const std::vector<FileAccount>& accounts) {
  Account sum;
  for (const FileAccount& one : accounts) sum += one.account;
  return sum;
}

// One document: the sums, and each file where there are several.
void print_count(const std::vector<FileAccount>& accounts, Output& out) {
  std::string& text = out.buffer();
  json::Writer w(text);
  w.begin_object();
  if (accounts.size() == 1) w.key("dialect").string(name(accounts[0].dialect));
  put_members(w, total(accounts));
  if (accounts.size() > 1) {
    w.key("files").begin_array();
    for (const FileAccount& one : accounts) {
      w.begin_object();
      w.key("file").string(one.file).key("dialect").string(name(one.dialect));
      put_members(w, one.account);
      w.end_object();
    }
    w.end_array();
  }
  w.end_object();
  text.push_back('\n');
}

void print_stats(const std::vector<FileAccount>& accounts, Console& console) {
  for (const FileAccount& one : accounts) {
    console.say(
        fmt::format("{} ({}): {}", printable(one.file), name(one.dialect), describe(one.account)));
  }
  if (accounts.size() > 1) console.say(fmt::format("all: {}", describe(total(accounts))));
}

// "status,text" as a set; every kind when the option is not given.
std::optional<KindSet> wanted_kinds(const Invocation& invocation, Console& console) {
  KindSet kinds;
  const std::vector<std::string>& lists = invocation.values("kinds");
  if (lists.empty()) return kinds.set();
  for (const std::string& list : lists) {
    std::string_view rest = list;
    if (ascii::trimmed(rest).empty()) {
      console.fail("parse: --kinds needs a value: KIND,…", "see 'dragoman help parse'");
      return std::nullopt;
    }
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view word = ascii::trimmed(rest.substr(0, comma));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
      const auto kind = kind_named(word);
      if (!kind.has_value()) {
        const std::vector<std::string_view> names = kind_names();
        const std::string meant = did_you_mean(word, {names.begin(), names.end()});
        console.fail(fmt::format("parse: --kinds: '{}' is not a kind of event", printable(word)),
                     meant.empty() ? "the kinds are " + listed(names) : meant);
        return std::nullopt;
      }
      kinds.set(static_cast<std::size_t>(*kind));
    }
  }
  return kinds;
}

std::optional<std::string> conflict(const Invocation& invocation) {
  if (invocation.has("count")) {
    for (const std::string_view other : {"kinds", "partial", "stats"}) {
      if (invocation.has(other)) {
        return fmt::format("parse: --count prints no events, so --{} has no meaning", other);
      }
    }
  }
  if (invocation.has("follow") && invocation.arguments().size() > 1) {
    return "parse: --follow takes one FILE";
  }
  return std::nullopt;
}

int run_parse(const Invocation& invocation, Console& console) {
  if (const auto why = conflict(invocation)) return console.fail(*why, "see 'dragoman help parse'");
  const auto kinds = wanted_kinds(invocation, console);
  if (!kinds.has_value()) return kUsage;
  const auto files = inputs(invocation, console);
  if (!files) return console.fail(files.error().message);

  auto options = reading_options(invocation);
  if (!options) return console.fail(options.error().message);
  // What is followed does not end, and its last block may be what somebody waits for.
  if (invocation.has("follow")) options->reader.whole_blocks = false;
  ParseTarget target(
      *options,
      {*kinds, invocation.has("partial"), invocation.has("count"), invocation.has("stats")},
      console);
  int exit_code = kOk;
  for (const std::string& file : *files) {
    target.name_next(file == "-" ? "stdin" : file);
    const auto read = invocation.has("follow") ? follow(file, target, console) : pump(file, target);
    if (!read) exit_code = console.fail(read.error().message);
    if (!read || console.out().failed()) break;
  }
  if (invocation.has("count")) print_count(target.accounts(), console.out());
  if (invocation.has("stats")) print_stats(target.accounts(), console);
  return interrupted() != 0 ? 128 + interrupted() : exit_code;
}

}  // namespace

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  names.reserve(kKinds);
  for (std::size_t i = 0; i < kKinds; ++i) names.push_back(name(static_cast<Kind>(i)));
  return names;
}

CommandSpec parse_command() {
  return {
      "parse",
      "any dialect to normalised events, one JSON object a line",
      "Each FILE is a stream of its own: numbers, offsets and lines start again. Without FILE, or\n"
      "with '-', stdin is read. The exit code is 0 whatever the input says.",
      {from_option(),
       mode_option(),
       line_cap_option(),
       {"follow",
        "",
        "go on as FILE grows; a file that is cut off or replaced is read anew",
        {},
        'f'},
       {.name = "kinds",
        .value = "KIND,…",
        .help = "show only these kinds; numbers stay as they are",
        .repeatable = true,
        .offers = kind_names,
        .lists = true},
       {"stats", "", "say on stderr at the end where every byte went"},
       {"count", "", "print only that account, as one JSON document"},
       {"partial", "", "show fragments of unfinished messages too; they have no number"},
       quiet_option(),
       verbose_option(),
       color_option()},
      {files_argument()},
      {"dragoman parse session.md",
       "claude -p … --output-format stream-json --verbose | dragoman parse --kinds status,question",
       "dragoman parse --count *.jsonl"},
      run_parse,
  };
}

}  // namespace dragoman::cli
