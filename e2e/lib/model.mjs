// An OpenAI-compatible server that plays given turns: the only thing in these tests that is not real. A turn is { text
// } or { tool, args }, or a function, possibly async, that returns one for the request. { thinking } streams before
// the reply, which waits until { wait } resolves. The critic and the reviewer, which get no tools, are always content
// and take no turn. A chat that becomes a goal gets the proposal, and the runners of a race what `rank` returns. With a key it refuses every request without it. The test of a connection gets its tool call and
// takes no turn either.
import { createServer } from "node:http";
import { once } from "node:events";

export async function startModel(turns, { key = "", proposal, rank } = {}) {
  const asked = [];
  const criticised = [];
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", async () => {
      if (key && request.headers.authorization !== `Bearer ${key}`) {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ error: { message: "Incorrect API key provided", type: "invalid_request_error" } }),
        );
        return;
      }
      const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
      if (!request.url.endsWith("/chat/completions")) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({
            object: "list",
            data: [{ id: "played", object: "model" }],
          }),
        );
        return;
      }
      if (body.tools?.[0]?.function.name === "report_ready") {
        await stream(response, { tool: "report_ready", args: { word: "ready" } }, 0);
        return;
      }
      if (!body.tools?.length) {
        if (proposal && JSON.stringify(body.messages).includes("A user talked with a model")) {
          await stream(response, { text: JSON.stringify(proposal) }, 0);
          return;
        }
        if (rank && JSON.stringify(body.messages).includes("change A")) {
          await stream(response, { text: rank(body.messages.at(-1)) }, 0);
          return;
        }
        criticised.push(body);
        if (JSON.stringify(body.messages.at(-1)).includes("why was this changed?")) {
          await stream(response, { text: "The old check was wrong." }, 0);
          return;
        }
        const reviews = JSON.stringify(body.messages).includes("CONFIRM or REJECT");
        await stream(response, { text: reviews ? "CONFIRM\nit is as asked" : "PROGRESSING\nit continues" }, 0);
        return;
      }
      const next = turns[Math.min(asked.length, turns.length - 1)];
      const n = asked.push(body);
      await stream(response, typeof next === "function" ? await next(body) : next, n);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    criticised,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
    /** Listens again where it listened before `close`, as a server that was started anew. */
    reopen: async () => {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
}

async function stream(response, turn, n) {
  const say = (delta, finish = null) => {
    const chunk = {
      id: `turn-${n}`,
      object: "chat.completion.chunk",
      created: 0,
      model: "played",
    };
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of turn.thinking?.match(/.{1,12}/gs) ?? []) say({ reasoning_content: piece });
  await turn.wait;
  say({ role: "assistant", content: turn.text ?? "" });
  if (turn.tool) {
    const call = {
      name: turn.tool,
      arguments: JSON.stringify(turn.args ?? {}),
    };
    say({
      tool_calls: [{ index: 0, id: `call_${n}`, type: "function", function: call }],
    });
  }
  say({}, turn.tool ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}
