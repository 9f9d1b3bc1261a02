// SPDX-License-Identifier: Apache-2.0
import {defineConfig} from 'vite';

// The server that answers /api while `npm run dev` serves the page: the mock, or a dragoman serve.
const server = process.env['DRAGOMAN_URL'] ?? 'http://127.0.0.1:4788';

export default defineConfig({
  build: {
    target: 'es2022',
    // The page's policy allows no data: address and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: true,
  },
  server: {proxy: {'/api': server, '/login': server}},
});
