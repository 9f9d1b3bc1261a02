// SPDX-License-Identifier: Apache-2.0
#include "fuzz/reader_laws.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dragoman;
  return fuzz::check_reader(data, size, [](const ReaderOptions& options) {
    return make_reader(Dialect::delegator, options);
  });
}
