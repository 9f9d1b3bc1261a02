// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dragoman::cli {

// What is thrown where nothing can catch it, in a thread or while another failure is dealt with, is
// mostly a want of memory or of threads. From here on the process then says so in one line and ends
// with exit code 125; guards end what it has started.
void contain_failures();

}  // namespace dragoman::cli
