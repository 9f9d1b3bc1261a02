// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/usage.hpp"

#include "dragoman/base/saturating.hpp"

namespace dragoman {
namespace {

void add_to(std::int64_t& sum, std::int64_t value) { sum = saturating_add(sum, value); }

void take_from(std::int64_t& sum, std::int64_t value) {
  if (__builtin_sub_overflow(sum, value, &sum)) sum = value < 0 ? INT64_MAX : INT64_MIN;
}

TokenCount tokens_of(const Usage& usage, UsageFold::CachedInput cached) {
  TokenCount tokens;
  tokens.input = usage.input_tokens.value_or(0);
  tokens.cached_input = usage.cached_input_tokens.value_or(0);
  tokens.cache_write = usage.cache_write_tokens.value_or(0);
  tokens.output = usage.output_tokens.value_or(0);
  tokens.reasoning = usage.reasoning_tokens.value_or(0);
  tokens.total_input = tokens.input;
  if (cached == UsageFold::CachedInput::apart) {
    add_to(tokens.total_input, tokens.cached_input);
    add_to(tokens.total_input, tokens.cache_write);
  }
  return tokens;
}

bool counts_on_from(const TokenCount& now, const TokenCount& before) {
  return now.input >= before.input && now.output >= before.output;
}

}  // namespace

TokenCount& TokenCount::operator+=(const TokenCount& other) {
  add_to(input, other.input);
  add_to(total_input, other.total_input);
  add_to(cached_input, other.cached_input);
  add_to(cache_write, other.cache_write);
  add_to(output, other.output);
  add_to(reasoning, other.reasoning);
  return *this;
}

TokenCount& TokenCount::operator-=(const TokenCount& other) {
  take_from(input, other.input);
  take_from(total_input, other.total_input);
  take_from(cached_input, other.cached_input);
  take_from(cache_write, other.cache_write);
  take_from(output, other.output);
  take_from(reasoning, other.reasoning);
  return *this;
}

void UsageFold::know_thread(std::string_view thread, const TokenCount& total) {
  threads_.insert_or_assign(std::string(thread), total);
}

void UsageFold::add(const Usage& usage, std::string_view thread, CachedInput cached) {
  const TokenCount tokens = tokens_of(usage, cached);
  switch (usage.scope) {
    case UsageScope::message:
      add_message(usage.message_id, tokens);
      break;
    case UsageScope::turn:
      settled_ += tokens;
      settled_messages_ = {};
      messages_.clear();
      message_order_.clear();
      last_turn_ = tokens;
      break;
    case UsageScope::thread:
      add_thread(thread, tokens);
      break;
    case UsageScope::run:
      run_ = tokens;
      break;
  }
  if (usage.cost_usd.has_value()) cost_usd_ = usage.cost_usd;
  final_ = usage.final;
}

void UsageFold::add_message(std::string_view id, const TokenCount& tokens) {
  if (id.empty()) {
    settled_messages_ += tokens;
    return;
  }
  const auto [entry, is_new] = messages_.insert_or_assign(std::string(id), tokens);
  if (!is_new) return;
  message_order_.push_back(entry->first);
  if (message_order_.size() <= kOpenMessages) return;
  const auto oldest = messages_.find(message_order_.front());
  settled_messages_ += oldest->second;
  messages_.erase(oldest);
  message_order_.pop_front();
}

void UsageFold::add_thread(std::string_view thread, const TokenCount& tokens) {
  if (tokens.empty()) return;  // a review reports zeros and leaves the thread's total alone
  auto known = threads_.find(thread);
  if (known == threads_.end()) {
    if (threads_.size() >= kThreads) threads_.erase(threads_.begin());
    known = threads_.emplace(std::string(thread), TokenCount{}).first;
  }
  TokenCount share = tokens;
  if (counts_on_from(tokens, known->second)) share -= known->second;
  known->second = tokens;
  if (share.empty()) return;  // the same total once more
  settled_ += share;
  last_turn_ = share;
}

RunUsage UsageFold::total() const {
  RunUsage usage;
  usage.cost_usd = cost_usd_;
  usage.final = final_;
  if (run_.has_value()) {
    usage.tokens = *run_;
    return usage;
  }
  usage.tokens = settled_;
  usage.tokens += settled_messages_;
  for (const auto& [id, tokens] : messages_) usage.tokens += tokens;
  return usage;
}

}  // namespace dragoman
