// SPDX-License-Identifier: Apache-2.0
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {brotliCompressSync, constants, gzipSync} from 'node:zlib';
import {type Plugin, defineConfig} from 'vite';

// The server that answers /api while `npm run dev` serves the page: the mock, or a dragoman serve.
const server = process.env['DRAGOMAN_URL'] ?? 'http://127.0.0.1:4788';

// The program embeds each file three times: as it is, .gz and .br.
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({dir}) {
      for (const name of readdirSync(dir ?? 'dist', {recursive: true, encoding: 'utf8'})) {
        if (!/\.(html|js|css|svg)$/.test(name)) continue;
        const path = join(dir ?? 'dist', name);
        const bytes = readFileSync(path);
        writeFileSync(`${path}.gz`, gzipSync(bytes, {level: 9}));
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, {params: {[constants.BROTLI_PARAM_QUALITY]: 11}}));
      }
    },
  };
}

export default defineConfig({
  plugins: [compressed()],
  build: {
    target: 'es2022',
    // The page's policy allows no data: address and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
  },
  server: {proxy: {'/api': server, '/login': server}},
});
