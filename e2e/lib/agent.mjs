// An external agent in the place of OpenCode: a program of that name that speaks the Agent Client Protocol. It thinks
// aloud, writes a file after it was allowed to, and claims with the host's tool. It asks no model.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const version = "1.18.33"; // a version that Goalpost was tested with

const program = `#!${process.execPath}
const { createInterface } = require("node:readline");
const { writeFileSync } = require("node:fs");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s1", update } });
const text = (sessionUpdate, text) => update({ sessionUpdate, content: { type: "text", text } });
let server, answered;

async function work() {
  text("agent_thought_chunk", "A file is enough.");
  text("agent_message_chunk", "I write the file.");
  const call = { toolCallId: "c1", title: "write done.txt", kind: "edit", rawInput: { filePath: "done.txt" } };
  update({ sessionUpdate: "tool_call", status: "pending", ...call });
  const allowed = await new Promise((resolve) => {
    answered = resolve;
    send({
      id: 100,
      method: "session/request_permission",
      params: {
        sessionId: "s1",
        toolCall: call,
        options: [
          { optionId: "yes", kind: "allow_once", name: "Allow" },
          { optionId: "no", kind: "reject_once", name: "Reject" },
        ],
      },
    });
  });
  if (allowed.outcome.optionId === "yes") writeFileSync("done.txt", "x");
  update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  for (const h of server.headers) headers[h.name] = h.value;
  const params = { name: "claim_complete", arguments: { rationale: "the file is there" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  await fetch(server.url, { method: "POST", headers, body }).then((r) => r.text());
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const agentCapabilities = { mcpCapabilities: { http: true } };
    send({ id, result: { protocolVersion: 1, agentCapabilities, authMethods: [] } });
  } else if (method === "session/new") {
    server = params.mcpServers[0];
    send({ id, result: { sessionId: "s1" } });
  } else if (method === "session/prompt") {
    await work();
    send({ id, result: { stopReason: "end_turn" } });
  } else if (id === 100) {
    answered(result);
  }
});
`;

/** Installs the agent as npm would, and returns the folder for the PATH. */
export function installAgent(home) {
  const dir = join(home, "agent");
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "opencode-ai", version }));
  writeFileSync(join(bin, "opencode"), program);
  chmodSync(join(bin, "opencode"), 0o755);
  return bin;
}
