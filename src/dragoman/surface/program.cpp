// SPDX-License-Identifier: Apache-2.0
#include "dragoman/surface/program.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dragoman/base/mutex.hpp"
#include "dragoman/event/names.hpp"
#include "dragoman/json/writer.hpp"
#include "dragoman/log/clock.hpp"
#include "dragoman/process/environment.hpp"
#include "dragoman/process/supervisor.hpp"
#include "dragoman/run/run_id.hpp"
#include "dragoman/surface/flat.hpp"

namespace dragoman::surface {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20U;

// A person may take a day; the limits of an agent do not apply.
process::Settings patient() {
  process::Settings settings;
  settings.limits = {};
  settings.limits.idle = settings.limits.hard = settings.limits.after_result =
      std::chrono::milliseconds(0);
  settings.grace = std::chrono::milliseconds(500);
  return settings;
}

}  // namespace

// One process and the thread that waits for it.
class ProgramSurface::Run {
 public:
  Run(Message message, ProgramCall call)
      : message_(std::move(message)), id_(fmt::format("{} {}", message_.ref, wall_ms())) {
    thread_ = std::thread([this, call = std::move(call)] { work(call); });
  }
  ~Run() {
    boost::asio::post(io_, [this] { supervisor_.reset(); });
    io_.stop();
    thread_.join();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // What it said, until that was taken.
  std::optional<std::string> said() {
    const Lock lock(mutex_);
    return answer_;
  }
  void forget() {
    const Lock lock(mutex_);
    answer_.reset();
  }
  [[nodiscard]] std::string fault() {
    const Lock lock(mutex_);
    return fault_;
  }
  [[nodiscard]] const Message& message() const { return message_; }
  // Each run has its own: what was refused of one is not held against the next.
  [[nodiscard]] const std::string& id() const { return id_; }

 private:
  void work(const ProgramCall& call) {
    process::Command command;
    command.program = call.argv.front();
    command.arguments.assign(call.argv.begin() + 1, call.argv.end());
    command.environment = process::make_environment(
        process::EnvironmentPolicy::allow_list, process::own_environment(),
        {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"});
    command.stdin_from = process::Stdin::pipe;
    process::Handlers handlers;
    handlers.output = [this](process::Stream stream, std::string_view bytes) {
      if (stream == process::Stream::stdout_ && out_.size() < kLongestAnswer)
        out_.append(bytes.substr(0, kLongestAnswer - out_.size()));
    };
    handlers.ended = [this](const process::Outcome& outcome) {
      supervisor_.reset();
      const Lock lock(mutex_);
      if (process::exit_code_of(outcome.exit) == 0) answer_ = std::move(out_);
    };
    auto started = process::Supervisor::start(io_, command, patient(), std::move(handlers));
    if (!started) {
      const Lock lock(mutex_);
      fault_ = started.error().message;
      return;
    }
    supervisor_ = *std::move(started);
    supervisor_->write(call.input);
    supervisor_->close_stdin();
    io_.run();
    supervisor_.reset();
  }

  Message message_;
  std::string id_;
  boost::asio::io_context io_{1};
  std::unique_ptr<process::Supervisor> supervisor_;
  std::string out_;
  Mutex mutex_;
  std::optional<std::string> answer_ DRAGOMAN_GUARDED_BY(mutex_);
  std::string fault_ DRAGOMAN_GUARDED_BY(mutex_);
  std::thread thread_;
};

std::optional<Incoming> read_program_answer(const Message& message, std::string_view out) {
  if (out.ends_with('\n')) out.remove_suffix(1);
  if (out.ends_with('\r')) out.remove_suffix(1);
  if (out.empty()) return std::nullopt;
  Incoming incoming{message.ref, message.ref, std::string(out), false, "", ""};
  if (!out.starts_with('{')) return incoming;
  const auto object = Flat::read(out);
  if (!object) return incoming;
  if (object->has("by")) incoming.by = one_line_of((*object)["by"], 100);
  if (object->has("text")) {
    incoming.value = (*object)["text"];
    incoming.literal = true;
  } else if (object->has("answer")) {
    incoming.value = (*object)["answer"];
  } else if (const auto options = object->list("options"); !options.empty()) {
    incoming.value = fmt::format("{}", fmt::join(options, ","));
  }
  return incoming;
}

std::string program_input(const Message& message) {
  std::string out;
  json::Writer w(out);
  w.begin_object().name("id").string(message.ref).name("topic").string(name(message.topic));
  w.name("run").string(message.task_id).name("task_id").string(task_id_of(message.task_id));
  w.name("header").string(message.title);
  w.name("text").string(message.text).name("options").begin_array();
  const auto grants = message.asked.grants();
  for (std::size_t i = 0; i < message.asked.options.size(); ++i) {
    w.begin_object().name("label").string(message.asked.options[i].label);
    w.name("description").string(message.asked.options[i].description);
    if (!grants.empty() && grants[i]) w.name("grants").string(dragoman::name(*grants[i]));
    w.end_object();
  }
  w.end_array().name("multi_select").boolean(message.asked.multi_select);
  w.name("free_text").boolean(message.asked.free_text).name("secret").boolean(message.asked.secret);
  w.name("context").begin_array();
  for (const auto& line : message.asked.context) w.string(line);
  w.end_array();
  if (!message.asked.wants.empty()) w.name("wants").raw({message.asked.wants.write()});
  w.name("open").boolean(message.open).name("outcome").string(message.outcome);
  w.end_object();
  out.push_back('\n');
  return out;
}

ProgramSurface::ProgramSurface(const SurfaceSettings& settings, Make make)
    : settings_(settings), make_(make) {}
ProgramSurface::~ProgramSurface() = default;

Result<std::string> ProgramSurface::offer(const Message& message) {
  const ProgramCall call = make_(settings_, message);
  auto path = process::find_program(call.argv.front(), process::own_environment());
  if (!path) {
    Error error = std::move(path).error();
    error.reason = kRefused;
    return error;
  }
  runs_[message.ref] = std::make_unique<Run>(message, call);
  return message.ref;
}

Result<std::optional<std::string>> ProgramSurface::find(const Message& message) {
  (void)message;
  return std::optional<std::string>();
}

Result<void> ProgramSurface::update(const Shown& shown) {
  (void)shown;
  return {};
}

Result<void> ProgramSurface::close(const Shown& shown) {
  runs_.erase(shown.message.ref);
  if (shown.message.topic != Topic::completion) return {};
  DRAGOMAN_TRY(const auto id, offer(shown.message));
  (void)id;
  return {};
}

Result<std::vector<Incoming>> ProgramSurface::answers(const std::vector<Shown>& open) {
  std::vector<Incoming> found;
  found_.clear();
  for (const Shown& shown : open) {
    const auto run = runs_.find(shown.message.ref);
    if (run == runs_.end()) {  // we were started again in the meantime
      DRAGOMAN_TRY(const auto id, offer(shown.message));
      (void)id;
      continue;
    }
    const auto out = run->second->said();
    if (!out) continue;
    found_.push_back(shown.message.ref);
    auto incoming = read_program_answer(shown.message, *out);
    if (!incoming) continue;
    incoming->id = run->second->id();
    if (incoming->by.empty()) incoming->by = settings_.kind;
    found.push_back(*std::move(incoming));
  }
  return found;
}

void ProgramSurface::taken() {
  for (const std::string& ref : found_) {
    if (const auto run = runs_.find(ref); run != runs_.end()) run->second->forget();
  }
}

Result<void> ProgramSurface::tell(const Incoming& incoming, std::string_view words) {
  (void)incoming;
  (void)words;  // it has ended
  return {};
}

}  // namespace dragoman::surface
