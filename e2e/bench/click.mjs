// Click to frame: from a mouse event on the canvas of a browser pane to the first
// frame of the window in which the canvas shows what the page answered.
import { once } from "node:events";
import { createServer } from "node:http";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";

const clicks = 60;

const html = (animated) => `<!doctype html><title>clicks</title>
<style>html { height: 100%; background: rgb(20, 20, 20) }
p { width: 24px; height: 24px; background: #888 } .on { animation: turn 1s linear infinite } @keyframes turn { to { rotate: 360deg } }</style>
<p ${animated ? 'class="on"' : ""}></p>
<script>let n = 0; const colours = ["rgb(200, 20, 20)", "rgb(20, 200, 20)", "rgb(20, 20, 200)"];
addEventListener("mousedown", () => { document.documentElement.style.background = colours[n++ % 3] });</script>`;

export async function measure() {
  const rows = [];
  await withClickPages(async (base) => {
    await withPage(async (page) => {
      const still = await measured(page, `${base}/still`);
      rows.push(row("click to frame, still page", still.seen, { both: [45, 60] }));
      rows.push(row("– until its picture has come to the window", still.came));
      const animated = await measured(page, `${base}/animated`);
      rows.push(row("click to frame, animated page", animated.seen, { both: [90, 120] }));
      rows.push(row("– until its picture has come to the window", animated.came));
    });
  });
  return rows;
}

/** Serves the pages that are clicked while `use` runs. */
export async function withClickPages(use) {
  const server = createServer((request, answer) => {
    answer.writeHead(200, { "Content-Type": "text/html" }).end(html(request.url === "/animated"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    await use(base);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export async function measured(page, url) {
  const id = await page.openBrowser(url);
  try {
    return await page.run(clicking, id, clicks);
  } finally {
    await page.closeBrowser(id);
  }
}

/** Runs in the page: clicks again and again, and returns {seen, came}, the times of each click in ms. */
async function clicking(id, clicks) {
  const canvas = document.querySelector(`[data-testid="browser"][data-pane="${id}"] canvas`);
  const context = canvas.getContext("2d");
  const box = canvas.getBoundingClientRect();
  const middle = { bubbles: true, cancelable: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
  const press = (type, buttons) =>
    canvas.dispatchEvent(new MouseEvent(type, { ...middle, button: 0, buttons, detail: 1 }));
  // Each answer has another colour. The colours are compared roughly, because a JPEG is not exact.
  const colour = () => {
    const [r, g, b] = context.getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data;
    return r > 120 ? "red" : g > 120 ? "green" : b > 120 ? "blue" : "";
  };

  // The page's own socket is found when the page sends something.
  const send = WebSocket.prototype.send;
  let socket;
  let arrived = 0;
  const note = (e) => e.data instanceof ArrayBuffer && (arrived = performance.now());
  WebSocket.prototype.send = function (...args) {
    if (!socket && this.url.includes("/v1/browser/")) (socket = this).addEventListener("message", note);
    return send.apply(this, args);
  };
  let wanted = "";
  let came = 0;
  const draw = context.drawImage;
  context.drawImage = (...args) => {
    draw.apply(context, args);
    if (!came && colour() === wanted) came = arrived;
  };

  const out = { seen: [], came: [] };
  for (let i = 0; i < clicks; i++) {
    // Each click comes at another moment of the window's frame.
    await new Promise((resolve) => setTimeout(resolve, 150 + ((i * 7) % 17)));
    wanted = ["red", "green", "blue"][i % 3];
    came = 0;
    const began = performance.now();
    press("mousedown", 1);
    press("mouseup", 0);
    while (!came) {
      if (performance.now() - began > 5000) throw new Error(`click ${i} was not answered`);
      await new Promise(requestAnimationFrame);
    }
    out.came.push(came - began);
    out.seen.push(performance.now() - began);
  }
  delete context.drawImage;
  socket.removeEventListener("message", note);
  WebSocket.prototype.send = send;
  return out;
}
