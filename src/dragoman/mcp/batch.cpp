// SPDX-License-Identifier: Apache-2.0
#include "dragoman/mcp/batch.hpp"

namespace dragoman::mcp {

void Batch::done(std::string_view answer) {
  std::string all;
  {
    const Lock lock(mutex_);
    if (!answer.empty()) answers_.append(answers_.empty() ? "[" : ",").append(answer);
    if (--left_ > 0) return;
    all = std::move(answers_);
  }
  if (all.empty()) return channel_->accept();
  all.push_back(']');
  channel_->finish(std::move(all), 200);
}

}  // namespace dragoman::mcp
