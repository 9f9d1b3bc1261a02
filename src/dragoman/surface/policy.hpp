// SPDX-License-Identifier: Apache-2.0
// When a question goes where. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dragoman/ask/question_record.hpp"
#include "dragoman/surface/message.hpp"
#include "dragoman/surface/settings.hpp"

namespace dragoman::surface {

// Whether a surface is to show such a thing of this run. `chosen`: the surfaces that the run named;
// empty: it named none, and the configuration decides.
[[nodiscard]] bool takes(const SurfaceSettings& surface, Topic topic,
                         const std::vector<std::string>& chosen);

// The moment (milliseconds since 1970) from which an open question is offered on a surface.
[[nodiscard]] std::int64_t offered_from(const ask::QuestionRecord& question,
                                        const SurfaceSettings& surface, const Settings& settings,
                                        const std::vector<std::string>& chosen);

// The end of the quiet hours that `at` lies in, else `at` itself.
[[nodiscard]] std::int64_t after_quiet(std::int64_t at, const Policy& policy);

// What the policy answers and from when; absent: nothing. A failure, an approval and a secret are
// never answered by a policy.
struct DefaultAnswer {
  std::int64_t from = 0;
  std::string value;
  friend bool operator==(const DefaultAnswer&, const DefaultAnswer&) = default;
};
[[nodiscard]] std::optional<DefaultAnswer> default_answer(const ask::QuestionRecord& question,
                                                          const Policy& policy);

}  // namespace dragoman::surface
