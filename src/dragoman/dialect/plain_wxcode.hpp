// SPDX-License-Identifier: Apache-2.0
// The six known WXCODE markers in their plain form, straight from the bytes to the event.
#pragma once

#include <span>
#include <vector>

#include "dragoman/base/arena.hpp"
#include "dragoman/dialect/wxcode_fields.hpp"
#include "dragoman/event/event.hpp"

namespace dragoman {

class PlainWxcode {
 public:
  // Where the event goes, and what it needs to know.
  struct To {
    std::span<Event, kKinds> events;  // by kind; each is filled again and again
    std::uint64_t offset = 0;         // of the marker
    OpenTools& tools;
    Arena& arena;
  };
  struct Taken {
    Event* event = nullptr;
    const char* end = nullptr;  // behind "-->"
  };
  using Read = Taken (*)(const char* at, const char* end, const To& to);

  // Reads the marker at `at` ("<!-- WXCODE:…") and fills the payload of its event with what
  // read_wxcode would make of it. No event: it is not one of the six, not plain, or has anything
  // about it that deserves a finding; read_wxcode has to judge it. Nothing that counts has changed
  // then.
  [[nodiscard]] Taken read(const char* at, const char* end, const To& to) const {
    return kernel_(at, end, to);
  }

  // The implementations. All give the same answers, and a test holds them to it.
  struct Kernels {
    // Those that this processor can run, the fastest first.
    [[nodiscard]] static std::vector<Read> usable();

    static Taken read_portable(const char* at, const char* end, const To& to);
#if defined(__x86_64__)
    static Taken read_avx2(const char* at, const char* end, const To& to);
#endif
  };

 private:
  Read kernel_ = Kernels::usable().front();
};

}  // namespace dragoman
