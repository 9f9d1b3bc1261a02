// SPDX-License-Identifier: Apache-2.0
// What this processor can do beyond what every one of its kind can: asked once, by whoever chooses
// among kernels that give the same answers.
#pragma once

namespace dragoman::processor {

#if defined(__x86_64__)
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0;
}

// VBMI is not needed. It came with the processors that no longer slow down for wide registers.
inline bool has_fast_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}
#endif

}  // namespace dragoman::processor
