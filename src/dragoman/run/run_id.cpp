// SPDX-License-Identifier: Apache-2.0
#include "dragoman/run/run_id.hpp"

#include <algorithm>

#include "dragoman/base/ascii.hpp"

namespace dragoman {
namespace {

bool are_run_letters(std::string_view text) {
  return text.size() == kRunIdLetters && std::ranges::all_of(text, [](char c) {
           return kRunIdAlphabet.find(c) != std::string_view::npos;
         });
}

}  // namespace

bool is_run_id(std::string_view text) {
  return text.starts_with(kRunIdPrefix) && are_run_letters(text.substr(kRunIdPrefix.size()));
}

bool is_task_id(std::string_view text) {
  if (!text.starts_with(kTaskIdPrefix) && !text.starts_with("T-cloud-")) return false;
  text.remove_prefix(kTaskIdPrefix.size());
  return text.size() >= 3 && text.size() <= 64 &&
         std::ranges::all_of(text, [](char c) { return ascii::is_alnum(c) || c == '-'; });
}

std::string task_id_of(std::string_view run) {
  if (!is_run_id(run)) return std::string(run);
  return std::string(kTaskIdPrefix).append(run.substr(kRunIdPrefix.size()));
}

std::string run_id_of(std::string_view task_id) {
  const std::string_view letters = task_id.substr(std::min(kTaskIdPrefix.size(), task_id.size()));
  if (!task_id.starts_with(kTaskIdPrefix) || !are_run_letters(letters)) return std::string(task_id);
  return std::string(kRunIdPrefix).append(letters);
}

std::string run_id_in(std::string_view directory_name) {
  const auto is_id = [](std::string_view text) { return is_run_id(text) || is_task_id(text); };
  const std::size_t dash = directory_name.rfind('-');
  const std::string_view number = directory_name.substr(std::min(dash, directory_name.size()));
  const bool is_attempt = number.size() > 1 && number.size() < 8 &&
                          std::ranges::all_of(number.substr(1), ascii::is_digit);
  if (is_attempt && is_id(directory_name.substr(0, dash)))
    return std::string(directory_name.substr(0, dash));
  return is_id(directory_name) ? std::string(directory_name) : std::string();
}

}  // namespace dragoman
