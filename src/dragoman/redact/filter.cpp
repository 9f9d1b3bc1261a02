// SPDX-License-Identifier: Apache-2.0
#include "dragoman/redact/filter.hpp"

#include <utility>

#include "dragoman/redact/scan.hpp"

namespace dragoman::redact {

Filter::Filter(std::shared_ptr<const Rules> rules)
    : scan_(std::make_unique<Scan>(std::move(rules))) {}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

void Filter::use(std::shared_ptr<const Rules> rules) { scan_->use(std::move(rules)); }
std::string_view Filter::push(std::string_view bytes) { return scan_->push(bytes); }
std::string_view Filter::finish() { return scan_->finish(); }
std::size_t Filter::held() const { return scan_->held(); }
std::vector<Redaction> Filter::take_redactions() { return scan_->take_redactions(); }

std::string redacted(std::string_view text, const std::shared_ptr<const Rules>& rules) {
  Filter filter(rules);
  std::string out(filter.push(text));
  out += filter.finish();
  return out;
}

}  // namespace dragoman::redact
