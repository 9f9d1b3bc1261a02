// SPDX-License-Identifier: Apache-2.0
#include "dragoman/process/facts.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "dragoman/process/descriptor.hpp"
#include "dragoman/process/process_table.hpp"

namespace dragoman::process {
namespace {

constexpr std::size_t kMostListed = 64;

std::string read_small(pid_t pid, std::string_view file) {
  const Descriptor fd(::open(fmt::format("/proc/{}/{}", pid, file).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t size = fd.is_open() ? ::read(fd.get(), text.data(), text.size()) : -1;
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string();
}

// A process names itself, so its name is hostile.
std::string printable(std::string_view name) {
  std::string out;
  for (const char c : name) out.push_back(c >= ' ' && c < 0x7f ? c : '?');
  return out;
}

std::chrono::milliseconds from_ticks(std::uint64_t ticks) {
  static const auto per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return std::chrono::milliseconds(ticks * 1000 / (per_second == 0 ? 100 : per_second));
}

// "0 0x0 0x7ffd…": the number of the call it sleeps in, then its arguments.
bool is_reading_stdin(std::string_view call) {
  long number = -1;
  const char* const end = call.data() + call.size();
  const auto [rest, error] = std::from_chars(call.data(), end, number);
  return error == std::errc() && number == SYS_read &&
         std::string_view(rest, static_cast<std::size_t>(end - rest)).starts_with(" 0x0 ");
}

ProcessFact fact_of(const TableEntry& entry) {
  ProcessFact fact{.pid = entry.pid,
                   .name = printable(entry.name),
                   .state = entry.state,
                   .cpu = from_ticks(entry.cpu_ticks)};
  const std::string waiting = read_small(entry.pid, "wchan");
  if (waiting != "0") fact.waiting_in = printable(waiting);
  fact.reads_stdin = is_reading_stdin(read_small(entry.pid, "syscall"));
  return fact;
}

std::string_view state_name(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "blocked in the kernel";
    case 'T':
    case 't':
      return "stopped";
    case 'Z':
      return "ended";
    default:
      return "idle";
  }
}

}  // namespace

Facts look_at(pid_t agent) {
  Facts facts;
  ProcessTable table;
  if (agent <= 0 || !table.scan()) return facts;
  const TableEntry* const first = table.find(agent);
  if (first != nullptr) facts.processes.push_back(fact_of(*first));
  // Those that left the agent's tree still have its session, unless they made one of their own:
  // then they hang below the agent's parent, its guard.
  table.mark_descendants(first == nullptr ? agent : first->parent);
  for (const TableEntry& entry : table) {
    if (!entry.chosen || entry.pid == agent) continue;
    if (facts.processes.size() < kMostListed) {
      facts.processes.push_back(fact_of(entry));
    } else {
      ++facts.more;
    }
  }
  return facts;
}

std::chrono::milliseconds cpu_of(const Facts& facts) {
  std::chrono::milliseconds sum{0};
  for (const ProcessFact& process : facts.processes) sum += process.cpu;
  return sum;
}

std::string describe(const Facts& facts) {
  if (facts.processes.empty()) return "the process is gone";
  const ProcessFact& agent = facts.processes.front();
  std::string text =
      fmt::format("{} (pid {}) is {}", agent.name, agent.pid,
                  agent.reads_stdin ? "blocked reading stdin" : state_name(agent.state));
  if (!agent.reads_stdin && !agent.waiting_in.empty()) {
    text += fmt::format(" in {}", agent.waiting_in);
  }
  text += fmt::format(", {} ms of CPU since its last output", facts.cpu_since_output.count());
  const std::size_t children = facts.processes.size() - 1 + facts.more;
  if (children == 0) return text + "; no children";
  text += fmt::format("; {} {}: ", children, children == 1 ? "child" : "children");
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 1; i < facts.processes.size() && i <= kShown; ++i) {
    const ProcessFact& child = facts.processes[i];
    text += fmt::format("{}{} ({}, {})", i == 1 ? "" : ", ", child.name, child.pid,
                        child.reads_stdin ? "reading stdin" : state_name(child.state));
  }
  if (children > kShown) text += fmt::format(" and {} more", children - kShown);
  return text;
}

}  // namespace dragoman::process
