// The page's gallery: every state of every screen on a bridge in memory, built and served to a real browser.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const frontend = fileURLToPath(new URL("../../frontend/", import.meta.url));
const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Builds and serves the gallery, and `more`, files by their path. */
export async function serveGallery(more = {}) {
  // Each caller has a folder of its own: another build would take the files away while pages load them.
  const built = mkdtempSync(join(tmpdir(), "goalpost-gallery-"));
  const vite = ["build", "--mode", "gallery", "--logLevel", "error", "--emptyOutDir", "--outDir", built];
  execFileSync(join(frontend, "node_modules/.bin/vite"), vite, { cwd: frontend });
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://gallery");
    try {
      const body = await readFile(more[pathname] ?? join(built, pathname));
      response.writeHead(200, {
        "content-type": types[extname(pathname)] ?? "application/octet-stream",
        "cache-control": "max-age=3600", // Chromium keeps what it compiled of the scripts that it may keep
      });
      response.end(body);
    } catch {
      response.writeHead(404);
      response.end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/gallery.html`,
    close: () => {
      server.closeAllConnections();
      server.close();
      rmSync(built, { recursive: true, force: true });
    },
  };
}

/** Returns the names of all scenes. */
export async function scenesOf(page, url) {
  await page.goto(url);
  await page.locator("li > span").first().waitFor();
  return page.locator("li > span").allTextContents();
}

/** Shows a scene and waits until it is complete. */
export async function showScene(page, url, scene, theme = "dark") {
  await page.goto(`${url}?scene=${scene}&theme=${theme}`);
  await page.locator(`html[data-scene="${scene}"]`).waitFor({ state: "attached" });
}
