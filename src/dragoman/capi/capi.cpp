// SPDX-License-Identifier: Apache-2.0
// The C interface: checks arguments, numbers events, and lets no exception out.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "dragoman/capi/dragoman.h"
#include "dragoman/dialect/reader.hpp"
#include "dragoman/event/json.hpp"
#include "dragoman/event/text_lines.hpp"

#ifndef DRAGOMAN_VERSION
#define DRAGOMAN_VERSION "unknown"
#endif

namespace {

using namespace dragoman;

constexpr std::size_t kLargestLineCap = std::size_t{1} << 30U;

// A short text in place, so that reporting a lack of memory needs none.
class LastError {
 public:
  void set(std::string_view what) noexcept {
    const std::size_t length = std::min(what.size(), sizeof(text_) - 1);
    std::memcpy(text_, what.data(), length);
    text_[length] = '\0';
  }
  [[nodiscard]] const char* text() const noexcept { return text_; }

 private:
  char text_[256] = "";
};

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

dragoman_status fail(dragoman_status status, std::string_view what) noexcept {
  last_error().set(what);
  return status;
}

// Hands each event on as its canonical line, numbered.
class CallbackSink final : public EventSink {
 public:
  void aim(dragoman_event_fn callback, void* user_data) {
    callback_ = callback;
    user_data_ = user_data;
  }
  void want_fragments() { fragments_ = true; }
  // Nobody is left to be told.
  void fall_silent() { callback_ = nullptr; }
  void on_event(const Event& event) override {
    if (callback_ == nullptr) return;
    // Fragments are for live views: they come and go without a number.
    const bool fragment = event.partial && event.as<DisplayText>() != nullptr;
    if (fragment && !fragments_) return;
    Event numbered = event;
    numbered.seq = fragment ? 0 : ++seq_;
    line_.clear();
    append_json(line_, numbered);
    callback_(line_.data(), line_.size(), user_data_);
  }

 private:
  dragoman_event_fn callback_ = nullptr;
  void* user_data_ = nullptr;
  std::uint64_t seq_ = 0;
  bool fragments_ = false;
  std::string line_;
};

// Runs `body` where nobody above can catch.
template <typename Body>
dragoman_status contain(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return fail(DRAGOMAN_NO_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return fail(DRAGOMAN_INTERNAL, e.what());
  } catch (...) {
    return fail(DRAGOMAN_INTERNAL, "unknown exception");
  }
}

// The fields that the caller's header knew.
dragoman_options options_of(const dragoman_options* given) {
  dragoman_options known = DRAGOMAN_OPTIONS_INIT;
  if (given != nullptr) std::memcpy(&known, given, std::min(given->size, sizeof known));
  return known;
}

}  // namespace

struct dragoman_reader {
  std::unique_ptr<Reader> reader;
  CallbackSink callback;
  TextLines lines{callback};  // text by the line, as everywhere else
  bool closed = false;        // finished, or broken by a defect
  bool busy = false;          // one of its calls is under way
  bool freed = false;         // by its own callback: the call that is under way deletes it
};

namespace {

// Runs one call on a reader. After anything but success the reader takes nothing more; only a call
// from its own callback is refused without a trace.
template <typename Call>
dragoman_status run(dragoman_reader* reader, dragoman_event_fn on_event, void* user_data,
                    Call&& call) noexcept {
  if (reader == nullptr) return fail(DRAGOMAN_BAD_ARGUMENT, "the reader is null");
  if (on_event == nullptr) return fail(DRAGOMAN_BAD_ARGUMENT, "the callback is null");
  if (reader->busy)
    return fail(DRAGOMAN_BUSY, "the reader is being used: a callback must not call its own reader");
  if (reader->closed)
    return fail(DRAGOMAN_FINISHED, "the reader has been finished, or an earlier call on it failed");
  reader->busy = true;
  const dragoman_status status = contain([&] {
    reader->callback.aim(on_event, user_data);
    call();
    return DRAGOMAN_OK;
  });
  reader->busy = false;
  if (status != DRAGOMAN_OK) reader->closed = true;
  if (reader->freed) delete reader;
  return status;
}

std::unique_ptr<Reader> make(std::string_view dialect, ReaderOptions options) {
  if (dialect == "auto") return make_detecting_reader(std::move(options));
  const std::optional<Dialect> known = dialect_named(dialect);
  return known.has_value() ? make_reader(*known, std::move(options)) : nullptr;
}

dragoman_status open(const char* dialect, const char* mode, const dragoman_options* given,
                     std::unique_ptr<dragoman_reader>& opened) {
  if (dialect == nullptr) return fail(DRAGOMAN_BAD_ARGUMENT, "the dialect is null");
  if (given != nullptr && given->size == 0)
    return fail(DRAGOMAN_BAD_ARGUMENT, "options.size is 0: use DRAGOMAN_OPTIONS_INIT");
  const dragoman_options known = options_of(given);
  ReaderOptions options;
  const std::string_view wanted = mode == nullptr ? "default" : mode;
  const std::optional<Mode> named = mode_named(wanted);
  if (!named.has_value())
    return fail(DRAGOMAN_BAD_ARGUMENT, "unknown mode '" + std::string(wanted) + "'");
  options.mode = *named;
  if (known.line_cap > kLargestLineCap)
    return fail(DRAGOMAN_BAD_ARGUMENT, "the line cap is more than 1 GiB");
  if (known.line_cap != 0) options.line_cap = known.line_cap;
  options.partial = known.partial != 0;
  options.stream = known.from_stderr != 0 ? Stream::stderr_ : Stream::stdout_;
  if (known.prompt != nullptr) options.prompt.assign(known.prompt, known.prompt_length);
  auto made = std::make_unique<dragoman_reader>();
  if (options.partial) made->callback.want_fragments();
  made->reader = make(dialect, std::move(options));
  if (made->reader == nullptr)
    return fail(DRAGOMAN_BAD_ARGUMENT, "unknown dialect '" + std::string(dialect) + "'");
  opened = std::move(made);
  return DRAGOMAN_OK;
}

}  // namespace

extern "C" {

const char* dragoman_version(void) { return DRAGOMAN_VERSION; }

dragoman_reader* dragoman_reader_open(const char* dialect, const char* mode,
                                      const dragoman_options* options) {
  std::unique_ptr<dragoman_reader> opened;
  static_cast<void>(contain([&] { return open(dialect, mode, options, opened); }));
  return opened.release();
}

dragoman_status dragoman_reader_push(dragoman_reader* reader, const char* bytes, size_t length,
                                     dragoman_event_fn on_event, void* user_data) {
  if (bytes == nullptr && length != 0) return fail(DRAGOMAN_BAD_ARGUMENT, "the bytes are null");
  return run(reader, on_event, user_data, [&] {
    if (length != 0) reader->reader->push({bytes, length}, reader->lines);
  });
}

dragoman_status dragoman_reader_idle(dragoman_reader* reader, dragoman_event_fn on_event,
                                     void* user_data) {
  return run(reader, on_event, user_data, [&] {
    reader->reader->idle(reader->lines);
    reader->lines.flush();
  });
}

dragoman_status dragoman_reader_finish(dragoman_reader* reader, dragoman_event_fn on_event,
                                       void* user_data) {
  return run(reader, on_event, user_data, [&] {
    reader->reader->finish(reader->lines);
    reader->lines.flush();
    reader->closed = true;
  });
}

const char* dragoman_reader_dialect(const dragoman_reader* reader) {
  // The names are literals, so each ends in a zero.
  return reader == nullptr ? nullptr : name(reader->reader->dialect()).data();
}

void dragoman_reader_free(dragoman_reader* reader) {
  if (reader == nullptr || !reader->busy) {
    delete reader;
    return;
  }
  reader->freed = true;
  reader->callback.fall_silent();
}

const char* dragoman_last_error(void) { return last_error().text(); }

}  // extern "C"
