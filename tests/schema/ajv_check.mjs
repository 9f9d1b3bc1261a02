// SPDX-License-Identifier: Apache-2.0
// Holds ajv to the answers of our validator: over the committed cases, and over thousands of
// mutations of them that the test program writes down together with what it thinks of them.
//
//   npm ci --prefix tests/schema
//   node tests/schema/ajv_check.mjs SOURCE_DIR TEST_PROGRAM
//
// Exit 0: both agree; 1: they do not; 77: ajv is not installed.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, readdirSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const [sourceDir, testProgram] = process.argv.slice(2);
const require = createRequire(join(sourceDir, 'tests/schema/'));
let Ajv2020;
try {
  Ajv2020 = require('ajv/dist/2020.js').default;
} catch {
  console.log('skipped: ajv is not installed (npm ci --prefix tests/schema)');
  process.exit(process.env.DRAGOMAN_NO_SKIP ? 1 : 77);
}

// Formats are annotations here, as in our default.
const newAjv = () => new Ajv2020({strict: false, validateFormats: false, ownProperties: true});
const readJson = path => JSON.parse(readFileSync(path, 'utf8'));

function schemaFiles(dir) {
  return readdirSync(dir, {withFileTypes: true}).flatMap(entry => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? schemaFiles(path) : path.endsWith('.json') ? [path] : [];
  });
}

const embedded = schemaFiles(join(sourceDir, 'schemas')).map(readJson);
const shared = newAjv();
for (const schema of embedded) {
  if (!shared.validateSchema(schema)) fail(`${schema.$id} is not a schema: ${shared.errorsText()}`);
  shared.addSchema(schema);
}

let wrong = 0;
function fail(message) {
  wrong += 1;
  if (wrong <= 20) console.log(message);
}

// A validator for {"$ref": id} of an embedded schema, or for any other schema on its own.
const compiled = new Map();
function validatorOf(schema) {
  const key = JSON.stringify(schema);
  if (!compiled.has(key)) {
    const id = typeof schema === 'object' && Object.keys(schema).length === 1 && schema.$ref;
    compiled.set(key, (id && shared.getSchema(id)) || newAjv().compile(schema));
  }
  return compiled.get(key);
}

let cases = 0;
function compare(schema, instance, expected, what) {
  cases += 1;
  try {
    const validate = validatorOf(schema);
    if (validate(instance) === expected) return;
    fail(`${what}: we say ${expected ? 'valid' : 'invalid'}, ajv does not\n  ` +
         `${JSON.stringify(instance).slice(0, 400)}\n  ${JSON.stringify(validate.errors)}`);
  } catch (error) {
    fail(`${what}: ajv fails with ${error.message}`);
  }
}

// {"$base": N, "set": {pointer: value}, "remove": [pointer]}: the Nth valid instance, changed.
function instanceOf(group, written) {
  if (written === null || typeof written !== 'object' || !('$base' in written)) return written;
  const instance = structuredClone(group.valid[written.$base]);
  const place = pointer => {
    const names = pointer.split('/').slice(1).map(n => n.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = names.pop();
    return [names.reduce((at, name) => at[name], instance), last];
  };
  for (const [pointer, value] of Object.entries(written.set ?? {})) {
    const [holder, name] = place(pointer);
    holder[name] = value;
  }
  for (const pointer of written.remove ?? []) {
    const [holder, name] = place(pointer);
    delete holder[name];
  }
  return instance;
}

const caseDir = join(sourceDir, 'tests/data/schema-cases');
for (const file of readdirSync(caseDir)) {
  for (const group of readJson(join(caseDir, file))) {
    if (group.not_for_ajv) continue;  // says why: numbers JavaScript cannot hold, defects of ajv
    for (const expected of [true, false]) {
      for (const written of group[expected ? 'valid' : 'invalid']) {
        compare(group.schema, instanceOf(group, written), expected, group.description);
      }
    }
  }
}
const committed = cases;

const scratch = mkdtempSync(join(tmpdir(), 'dragoman-ajv-'));
try {
  const file = join(scratch, 'mutations.jsonl');
  execFileSync(testProgram, ['--gtest_filter=Mutations.*'],
               {env: {...process.env, DRAGOMAN_MUTATIONS: file}, stdio: 'ignore'});
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const {schema, instance, valid} = JSON.parse(line);
    compare(schema, instance, valid, JSON.stringify(schema));
  }
} finally {
  rmSync(scratch, {recursive: true});
}

console.log(`${committed} committed cases, ${cases - committed} mutations: ` +
            `${cases - wrong} of ${cases} agree`);
process.exit(wrong === 0 && cases > committed ? 0 : 1);
