// SPDX-License-Identifier: Apache-2.0
#include "dragoman/task/printed.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dragoman/base/cut.hpp"
#include "dragoman/dialect/plain_writer.hpp"
#include "dragoman/event/structured.hpp"
#include "dragoman/record/file.hpp"
#include "dragoman/report/plain_text.hpp"

namespace dragoman::task {

namespace {

std::string read_part(const record::File& file, std::uint64_t from, std::uint64_t size) {
  std::string bytes(size, '\0');
  std::size_t got = 0;
  while (got < bytes.size()) {
    const std::size_t more = file.read(bytes.data() + got, bytes.size() - got, from + got);
    if (more == 0) break;
    got += more;
  }
  bytes.resize(got);
  return bytes;
}

// False: there is no such file.
bool append_file(const std::filesystem::path& path, std::string& to) {
  const auto file = record::File::open(path);
  if (!file) return false;
  const std::uint64_t size = file->size();
  const std::uint64_t room = Printed::kMost - std::min(Printed::kMost, to.size());
  if (size <= room) {
    to += read_part(*file, 0, size);
  } else {
    const std::uint64_t part = (room - std::min<std::uint64_t>(kCutMark.size(), room)) / 2;
    to += read_part(*file, 0, part);
    to += kCutMark;
    to += read_part(*file, size - part, part);
  }
  return true;
}

// And no link: that leads wherever the agent wants.
bool is_own_directory(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, unknown));
}

// Its words came in the JSON of the agent's program.
bool is_carried(const Origin& origin) { return is_structured(origin.via.value_or(origin.dialect)); }

// Said by the agent itself between its words, and not about them.
bool is_marker(const Event& event) {
  const Origin& origin = event.origin;
  const bool own = origin.channel == Channel::stdout_ || origin.channel == Channel::assistant_text;
  switch (origin.dialect) {
    case Dialect::wxcode:
    case Dialect::question:
    case Dialect::markers:
      return own && event.as<Diagnostic>() == nullptr && event.as<QuotedMarker>() == nullptr;
    case Dialect::claude:
    case Dialect::codex:
    case Dialect::delegator:
    case Dialect::text:
      return false;
  }
  return false;
}

// As the agent wrote it, as far as the event tells: a comment, or lines with a marker in brackets.
std::string marker_text(const Event& event) {
  if (const auto* const broken = event.as<Malformed>()) return std::string(broken->raw);
  Event alone = event;
  Question question;
  if (const auto* const asked = event.as<Question>()) {
    question = *asked;
    question.context = {};  // which are the words before it
    alone.payload = question;
  }
  PlainWriter writer(MarkerFamily::any);
  std::string text;
  if (!writer.write(alone, text)) return {};
  writer.finish(text);
  if (event.origin.dialect == Dialect::markers) return text;
  // Behind a comment the writer says the same for people, as the agent does by itself.
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<std::filesystem::path> recorded_starts(const Task& task) {
  std::vector<std::filesystem::path> starts;
  if (task.recording.empty()) return starts;
  std::filesystem::path first(task.recording);
  if (first.filename().empty()) first = first.parent_path();  // behind a slash a link is followed
  // A run that was started again with answers has the later starts inside the first.
  const std::string name = first.filename().string();
  std::filesystem::path start = first;
  for (int number = 2; is_own_directory(start); ++number) {
    starts.push_back(std::exchange(start, first / fmt::format("{}-start-{}", name, number)));
  }
  return starts;
}

std::optional<Printed> recorded_output(const Task& task) {
  Printed printed;
  bool found = false;
  for (const auto& start : recorded_starts(task)) {
    found = append_file(start / "stdout", printed.out) || found;
    found = append_file(start / "stderr", printed.err) || found;
  }
  if (!found) return std::nullopt;
  printed.out = strip_ansi(printed.out);
  printed.err = strip_ansi(printed.err);
  return printed;
}

void ReadableOutput::end_line(std::string& text) {
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
}

void ReadableOutput::add(std::string& to, std::string_view text) {
  if (to.size() + text.size() > Printed::kMost) return;
  to.append(strip_ansi(text));
  end_line(to);
}

// The words of each message begin a line. A comment stands wherever it stood; lines with brackets
// are lines of their own.
void ReadableOutput::words(const Event& event) {
  std::string& out = printed_.out;
  if (is_carried(event.origin) && event.origin.offset != record_) {
    end_line(out);
    record_ = event.origin.offset;
  }
  const auto* const text = event.as<DisplayText>();
  if (text == nullptr) return marker(event);
  behind_comment_ = false;
  const std::string said = text->text.str();
  if (out.size() + said.size() <= Printed::kMost) out += said;
}

void ReadableOutput::marker(const Event& event) {
  std::string& out = printed_.out;
  const std::string written = marker_text(event);
  if (written.empty() || out.size() + written.size() > Printed::kMost) return;
  const bool line = written.back() == '\n';
  if (line || behind_comment_) end_line(out);
  out += written;
  behind_comment_ = !line;
}

void ReadableOutput::on_event(const Event& event) {
  if (event.partial) return;
  const auto* const text = event.as<DisplayText>();
  if (event.origin.stream == Stream::stderr_) {
    if (text != nullptr) add(printed_.err, text->text.str());
    return;
  }
  if (is_carried(event.origin)) speaks_json_ = true;
  const auto* const tool = event.as<ToolFinished>();
  if (text != nullptr || is_marker(event)) {
    words(event);
  } else if (tool != nullptr && !tool->output.absent() && !tool->output.bytes.empty()) {
    end_line(printed_.out);
    add(printed_.out, tool->output.str());
    behind_comment_ = false;
  }
}

Printed ReadableOutput::take() && {
  end_line(printed_.out);
  printed_.out = strip_ansi(printed_.out);
  return std::move(printed_);
}

}  // namespace dragoman::task
