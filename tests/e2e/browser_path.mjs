// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium, in its form without windows: the same engine at two thirds of the processor time.
// Where only the one with windows is installed, that; DRAGOMAN_CHROMIUM names any other.
import {existsSync} from 'node:fs';

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
export const browserPath = process.env.DRAGOMAN_CHROMIUM ?? installed.find(existsSync) ?? installed[0];
