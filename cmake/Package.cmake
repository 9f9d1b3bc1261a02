# SPDX-License-Identifier: Apache-2.0
# Install and export are added with the first installed header.
