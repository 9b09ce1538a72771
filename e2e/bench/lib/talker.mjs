// A provider whose answers a benchmark writes itself, piece by piece, so that it knows when each byte left.
import { createServer } from "node:http";
import { once } from "node:events";

/** Starts the provider. `answer(reply)` writes each answer with `reply.say(text)`, which returns the time, and `reply.end()`. */
export async function startTalker() {
  const talker = { answer: (reply) => reply.end() };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      if (!request.url.endsWith("/chat/completions")) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ object: "list", data: [{ id: "talker", object: "model" }] }));
        return;
      }
      talker.answer(replyTo(response));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  talker.url = `http://127.0.0.1:${server.address().port}/v1`;
  talker.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return talker;
}

function replyTo(response) {
  const write = (delta, finish = null) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = { id: "answer", object: "chat.completion.chunk", created: 0, model: "talker", choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  return {
    say(text) {
      const at = Date.now();
      write({ role: "assistant", content: text });
      return at;
    },
    end() {
      write({}, "stop");
      response.end("data: [DONE]\n\n");
    },
  };
}
