// SPDX-License-Identifier: Apache-2.0
// A control group of a run's own, where the system lets us make one.
#pragma once

#include <memory>
#include <string>

#include "dragoman/process/descriptor.hpp"

namespace dragoman::process {

// What is started in a group stays there, whatever it does to its parents, session and environment,
// and the kernel kills all of it in one step. Only a process that may write to the group's parent
// can leave: root, or the user to whom the system has handed it over.
class RunGroup {
 public:
  // Below our own group; null where that is not writable. `mark` (run_mark.hpp) becomes part of its
  // name, by which end_leftovers() finds it.
  [[nodiscard]] static std::unique_ptr<RunGroup> make(const std::string& mark);
  ~RunGroup() { remove(); }
  RunGroup(const RunGroup&) = delete;
  RunGroup& operator=(const RunGroup&) = delete;

  [[nodiscard]] int directory() const { return directory_.get(); }
  [[nodiscard]] int killer() const { return killer_.get(); }  // writing "1" to it kills them all
  [[nodiscard]] const std::string& path() const { return path_; }

  void kill() const;
  void remove() const;  // as soon as it is empty; harmless before and behind that

 private:
  RunGroup(std::string path, Descriptor directory, Descriptor killer);
  std::string path_;
  Descriptor directory_;
  Descriptor killer_;
};

// The marks in the name of a group of ours that /proc/PID/cgroup names; empty: there is none.
[[nodiscard]] std::string mark_in_group(const std::string& groups);
// Kills everything in the group of ours that /proc/PID/cgroup names, and removes it.
void kill_group(const std::string& groups);

}  // namespace dragoman::process
