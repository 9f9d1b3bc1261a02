// SPDX-License-Identifier: Apache-2.0
// DRAGOMAN_SANITIZED: 1 where a sanitizer stands between us and the memory or the threads, else 0.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // how gcc says it
#define DRAGOMAN_SANITIZED 1
#elif defined(__has_feature)  // how clang does
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DRAGOMAN_SANITIZED 1
#endif
#endif

#if !defined(DRAGOMAN_SANITIZED)
#define DRAGOMAN_SANITIZED 0
#endif
