// SPDX-License-Identifier: Apache-2.0
// What supervising a program costs: bytes per second against a plain pipe, and the time to start.
//
// usage: run_bench WRITER [--bytes N] [--rounds N] [--dragoman PROGRAM]
//   WRITER is the fake agent. Contestants take turns, so that all see the same machine; the figures
//   are medians, and only the ratios mean anything.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/support/measuring.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/record/recording.hpp"

extern char** environ;

namespace {

using Clock = std::chrono::steady_clock;
using dragoman::bench::median;
using dragoman::process::Command;
using dragoman::process::Handlers;
using dragoman::process::Outcome;
using dragoman::process::Stream;
using dragoman::process::Supervisor;
using dragoman::record::Channel;
using dragoman::record::Recording;

[[noreturn]] void give_up(std::string_view why) {
  (void)std::fprintf(stderr, "run_bench: %.*s\n", static_cast<int>(why.size()), why.data());
  std::exit(1);
}

double seconds_of(const std::function<void()>& work) {
  const auto begun = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

// What the work itself costs, whatever else the machine does.
double processor_seconds_of(const std::function<void()>& work) {
  const std::clock_t begun = std::clock();
  work();
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

pid_t spawn(std::vector<std::string> words, int in, int out) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  (void)::posix_spawn_file_actions_init(&files);
  if (in >= 0) (void)::posix_spawn_file_actions_adddup2(&files, in, 0);
  if (out >= 0) (void)::posix_spawn_file_actions_adddup2(&files, out, 1);
  pid_t pid = 0;
  if (::posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ) != 0) {
    give_up("cannot start " + words[0]);
  }
  (void)::posix_spawn_file_actions_destroy(&files);
  return pid;
}

double seconds_in(const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// The processor time it took.
double finish(pid_t pid) {
  int status = 0;
  rusage used{};
  if (::wait4(pid, &status, 0, &used) != pid || status != 0) give_up("a program failed");
  return seconds_in(used);
}

double own_processor_seconds() {
  rusage used{};
  (void)::getrusage(RUSAGE_SELF, &used);
  return seconds_in(used);
}

// WRITER bytes N | cat >/dev/null; the processor time of cat.
double through_a_pipe(const std::string& writer, const std::string& bytes) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) give_up("no pipe");
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t reading = spawn({"cat"}, ends[0], null);
  const pid_t writing = spawn({writer, "bytes", bytes}, -1, ends[1]);
  for (const int fd : {ends[0], ends[1], null}) (void)::close(fd);
  (void)finish(writing);
  return finish(reading);
}

// The processor time of this process.
double supervised(const Command& command, Recording* recording, std::uint64_t wanted) {
  const double before = own_processor_seconds();
  boost::asio::io_context io;
  std::uint64_t seen = 0;
  Handlers handlers;
  const auto begun = Clock::now();
  handlers.output = [&](Stream, std::string_view bytes) {
    if (recording == nullptr) {
      seen += bytes.size();
      return;
    }
    const auto at = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
    seen += recording->output(Channel::stdout_, bytes, at).size();
  };
  Outcome outcome;
  handlers.ended = [&](const Outcome& how) { outcome = how; };
  auto started = Supervisor::start(io, command, {}, std::move(handlers));
  if (!started) give_up(started.error().message);
  io.run();
  if (recording != nullptr) {
    seen += recording->end(Channel::stdout_, {}).size();
    recording->exit({.how = "exited"});
  }
  if (exit_code_of(outcome.exit) != 0 || seen != wanted) give_up("a supervised run went wrong");
  return own_processor_seconds() - before;
}

struct Options {
  std::string writer;
  std::uint64_t bytes = 2'000'000'000;
  int rounds = 5;
  std::string dragoman;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* const next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--bytes") {
      options.bytes = std::strtoull(next, nullptr, 10), ++i;
    } else if (word == "--rounds") {
      options.rounds = std::max(1, std::atoi(next)), ++i;
    } else if (word == "--dragoman") {
      options.dragoman = next, ++i;
    } else {
      options.writer = word;
    }
  }
  if (options.writer.empty()) give_up("usage: run_bench WRITER [--bytes N] [--rounds N]");
  return options;
}

// Each gives the processor time of whoever reads.
using Contestants = std::vector<std::pair<std::string, std::function<double()>>>;

struct Times {
  std::vector<double> wall;
  std::vector<double> processor;
};

std::map<std::string, Times> measure(const Contestants& contestants, int rounds) {
  std::map<std::string, Times> times;
  for (int round = 0; round < rounds; ++round) {
    for (const auto& [name, work] : contestants) {
      double used = 0;
      times[name].wall.push_back(seconds_of([&] { used = work(); }));
      times[name].processor.push_back(used);
    }
  }
  return times;
}

// The median of the ratios within a round: what else the machine does hits both alike.
double ratio(const std::vector<double>& base, const std::vector<double>& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < base.size(); ++i) ratios.push_back(base[i] / other[i]);
  return median(ratios);
}

void throughput(const Options& options, const std::filesystem::path& scratch) {
  const std::string bytes = std::to_string(options.bytes);
  const Command writer{.program = options.writer, .arguments = {"bytes", bytes}};
  int number = 0;
  const auto recorded = [&](std::uint64_t limit) {
    const auto directory = scratch / std::to_string(number++);
    auto made = Recording::create(directory, {.agent = "command"}, {.limit = limit});
    if (!made) give_up(made.error().message);
    const double used = supervised(writer, made->get(), options.bytes);
    std::filesystem::remove_all(directory);
    return used;
  };
  const Contestants contestants = {
      {"pipe to cat >/dev/null", [&] { return through_a_pipe(options.writer, bytes); }},
      {"supervised, recording off", [&] { return supervised(writer, nullptr, options.bytes); }},
      {"supervised and redacted",
       [&] {
         const auto discarded = Recording::discard();
         return supervised(writer, discarded.get(), options.bytes);
       }},
      {"redacted and recorded, limit 512 MiB", [&] { return recorded(std::uint64_t{512} << 20); }},
      {"redacted and recorded, no limit", [&] { return recorded(0); }},
  };
  const auto times = measure(contestants, options.rounds);
  fmt::print(
      "| a program that writes {} MB | MB/s | share of the pipe | reader's processor time, s/GB |\n"
      "|---|---|---|---|\n",
      options.bytes / 1'000'000);
  const auto& base = times.at(contestants.front().first);
  for (const auto& [name, work] : contestants) {
    const auto& own = times.at(name);
    const double megabytes = static_cast<double>(options.bytes) / 1e6;
    fmt::print("| {} | {:.0f} | {:.2f} | {:.2f} |\n", name, megabytes / median(own.wall),
               ratio(base.wall, own.wall), median(own.processor) / megabytes * 1e3);
  }
  rusage used{};
  (void)::getrusage(RUSAGE_SELF, &used);
  fmt::print("\nPeak memory of the supervising process: {} MB.\n\n", used.ru_maxrss / 1024);
}

void filter_alone(const Options& options) {
  std::string text;
  while (text.size() < (8U << 20)) {
    text += "static int parse_header(const char* p, size_t n) {  // token by token, key = value\n";
    text +=
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Done\"}]}}"
        "\n";
    text += "see https://example.org/docs/api/v2#section-4 for e3b0c44298fc1c149afbf4c8996fb924\n";
  }
  std::vector<double> rates;
  for (int round = 0; round < options.rounds; ++round) {
    dragoman::redact::Filter filter(dragoman::redact::make_rules());
    std::size_t out = 0;
    const double took = processor_seconds_of([&] {
      for (std::size_t at = 0; at < text.size(); at += 65536) {
        out += filter.push(std::string_view(text).substr(at, 65536)).size();
      }
    });
    rates.push_back(static_cast<double>(out) / 1e9 / took);
  }
  fmt::print("The filter alone, on code, JSON lines and addresses: {:.2f} GB/s.\n\n",
             median(rates));
}

void start_up(const Options& options, const std::filesystem::path& scratch) {
  constexpr int kStarts = 41;
  const Command program{.program = "/bin/true", .arguments = {}};
  Contestants contestants = {
      {"true", [] { return finish(spawn({"/bin/true"}, -1, -1)); }},
      {"true, supervised in this process", [&] { return supervised(program, nullptr, 0); }},
  };
  if (!options.dragoman.empty()) {
    const auto run = [&](std::vector<std::string> more) {
      return [&options, more] {
        std::vector<std::string> words = {options.dragoman, "run", "--as", "quiet"};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--", "true"});
        return finish(spawn(words, -1, -1));
      };
    };
    (void)::setenv("DRAGOMAN_STATE_DIR", (scratch / "state").c_str(), 1);
    contestants.emplace_back("dragoman run --no-record -- true", run({"--no-record"}));
    contestants.emplace_back("dragoman run --no-store -- true", run({"--no-store"}));
    contestants.emplace_back("dragoman run -- true", run({}));
  }
  const auto times = measure(contestants, kStarts);
  const double base = median(times.at("true").wall);
  fmt::print("| start to end, median of {} | ms | over true |\n|---|---|---|\n", kStarts);
  for (const auto& [name, work] : contestants) {
    const double own = median(times.at(name).wall);
    fmt::print("| {} | {:.2f} | {:.2f} |\n", name, own * 1e3, (own - base) * 1e3);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  std::string scratch = (std::filesystem::temp_directory_path() / "run_bench_XXXXXX").string();
  if (::mkdtemp(scratch.data()) == nullptr) give_up("no scratch directory");
  throughput(options, scratch);
  filter_alone(options);
  start_up(options, scratch);
  std::filesystem::remove_all(scratch);
}
