// SPDX-License-Identifier: Apache-2.0
// Any program as a surface: the question as JSON on its stdin, the answer on its stdout.
#include "dragoman/surface/kinds.hpp"
#include "dragoman/surface/program.hpp"

namespace dragoman::surface {

std::unique_ptr<Surface> make_command(const SurfaceSettings& settings, Surroundings surroundings) {
  (void)surroundings;  // it needs no server
  return std::make_unique<ProgramSurface>(settings,
                                          [](const SurfaceSettings& from, const Message& message) {
                                            return ProgramCall{from.argv, program_input(message)};
                                          });
}

}  // namespace dragoman::surface
