// SPDX-License-Identifier: Apache-2.0
// The official TypeScript SDK serving _codex_local_status with 20 tasks, over stdio or HTTP.
// usage: mcp_server.mjs MODULES [http]      MODULES: a node_modules directory with the SDK
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, how] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(join(modules, '@modelcontextprotocol/sdk/dist/esm', path)));
const { Server } = await sdk('server/index.js');
const { CallToolRequestSchema, ListToolsRequestSchema } = await sdk('types.js');

const tasks = Array.from({ length: 20 }, (_, i) => ({
  task_id: `T-local-mi42qev9${String(i).padStart(4, '0')}k3v0x7q2m5a1`,
  state: i % 4 === 3 ? 'failed' : 'completed',
  duration_seconds: 12 + i,
  completed_ms: Date.now() - i * 1000,
}));

function status() {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  return {
    version: '3.6',
    schema_id: 'codex/v3.6/status_snapshot/v1',
    tool: '_codex_local_status',
    tool_category: 'status_snapshot',
    request_id: randomUUID(),
    ts: now,
    status: 'ok',
    meta: { snapshot_ts: now, total: 0 },
    data: {
      summary: { running: 0, queued: 0, recently_completed: tasks.length },
      recently_completed: tasks.map((task) => ({
        task_id: task.task_id,
        state: task.state,
        duration_seconds: task.duration_seconds,
        completed_ts: new Date(task.completed_ms).toISOString().replace(/\.\d+/, ''),
      })),
    },
  };
}

function make() {
  const server = new Server({ name: 'peer', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: '_codex_local_status', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => {
    const structuredContent = status();
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  });
  return server;
}

if (how === 'http') {
  const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp.js');
  const sessions = new Map();
  createServer(async (request, response) => {
    let transport = sessions.get(request.headers['mcp-session-id']);
    if (!transport) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse: true,
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await make().connect(transport);
    }
    await transport.handleRequest(request, response);
  }).listen(0, '127.0.0.1', function listening() {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });
} else {
  const { StdioServerTransport } = await sdk('server/stdio.js');
  await make().connect(new StdioServerTransport());
}
