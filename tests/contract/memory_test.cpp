// SPDX-License-Identifier: Apache-2.0
// A reader holds no more than the line cap, whatever it is given.
#include <malloc.h>

#include <cstdlib>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "dragoman/base/sanitized.hpp"
#include "tests/contract/hostile_inputs.hpp"
#include "tests/support/readers.hpp"

namespace {

[[maybe_unused]] std::size_t live = 0;
[[maybe_unused]] std::size_t peak = 0;

[[maybe_unused]] void* counted(std::size_t size) {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  live += ::malloc_usable_size(memory);
  peak = std::max(peak, live);
  return memory;
}

[[maybe_unused]] void uncounted(void* memory) {
  if (memory == nullptr) return;
  live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

#if !DRAGOMAN_SANITIZED  // the sanitizer has its own, and wants every one of them
// For the whole program: the only way to see what a reader holds without asking it.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete[](void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }
void operator delete[](void* memory, std::size_t) noexcept { uncounted(memory); }
#endif

namespace dragoman::test {
namespace {

constexpr std::size_t kCap = std::size_t{64} << 10U;
constexpr std::size_t kInput = std::size_t{8} << 20U;
// What is held, its copy while it grows, and the list of what is in it; a block of bracket lines
// has a bound of its own.
constexpr std::size_t kAllowed = 16 * kCap + (std::size_t{5} << 20U);

class Nobody final : public EventSink {
 public:
  void on_event(const Event& /*event*/) override {}
};

class ReaderMemory : public testing::TestWithParam<ReaderCase> {};

TEST_P(ReaderMemory, IsBoundedByTheLineCap) {
#if DRAGOMAN_SANITIZED
  GTEST_SKIP() << "the sanitizer's own memory would be counted";
#endif
  ReaderCase reader_case = GetParam();
  reader_case.options.line_cap = kCap;
  for (const HostileInput& input : hostile_inputs(kInput)) {
    // Every open tool, question and id is remembered until it is closed: that is what they are for.
    if (input.name == "open_tools" || input.name == "json_tools" || input.name == "codex_items" ||
        input.name == "many_questions" || input.name == "questions")
      continue;
    const std::unique_ptr<Reader> reader = reader_case.make();
    Nobody nobody;
    const std::size_t before = live;
    peak = live;
    const std::string_view bytes = input.bytes;
    for (std::size_t at = 0; at < bytes.size(); at += 4096)
      reader->push(bytes.substr(at, 4096), nobody);
    reader->finish(nobody);
    EXPECT_LE(peak - before, kAllowed)
        << input.name << " holds " << (peak - before) / 1024 << " KiB";
  }
}

std::vector<ReaderCase> one_of_each() {
  std::vector<ReaderCase> chosen;
  for (const std::string_view name : {"text_default", "claude_default", "claude_partial",
                                      "codex_default", "delegator_default", "auto_default"}) {
    for (const ReaderCase& reader : all_readers()) {
      if (reader.name == name) chosen.push_back(reader);
    }
  }
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Every, ReaderMemory, testing::ValuesIn(one_of_each()),
                         [](const auto& reader) { return reader.param.name; });

}  // namespace
}  // namespace dragoman::test
