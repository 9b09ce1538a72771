// The fixture pages of backend/panes/browser, and the parts that need a server: files to download, a slow page, one that
// requires a login, and one with a bad certificate.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSecure } from "node:https";
import { once } from "node:events";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const fixtures = fileURLToPath(new URL("../../backend/panes/browser/fixtures/", import.meta.url));
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".pdf": "application/pdf",
};

// A red square.
const icon = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mO4IydHEmIY1TCqYfhqAACaMxgQdrf9VwAAAABJRU5ErkJggg==",
  "base64",
);

// Nothing trusts this certificate, which is its purpose.
const unproven = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgglhmSCX0Ak2iRJYB
WMe1iVQ9s3Xu1gMGPNi+8eC4DEahRANCAAQY18k/q3bWHvymxi1o+UcJi1WoGzFA
qgK4sbg/Zwd+DMFnXyGfdaO9mLNPvaduPQU1xPJevgvs97QRMOBYhOGV
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBfjCCASOgAwIBAgIUEYH5fmXTg/LUMpiuKMYrogl1qfAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyMTE2MTU0NFoXDTM2MTExODE2
MTU0NFowFDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEGNfJP6t21h78psYtaPlHCYtVqBsxQKoCuLG4P2cHfgzBZ18hn3WjvZiz
T72nbj0FNcTyXr4L7Pe0ETDgWIThlaNTMFEwHQYDVR0OBBYEFF5l5mdzDdhh/dRJ
atM7iHGLQMn/MB8GA1UdIwQYMBaAFF5l5mdzDdhh/dRJatM7iHGLQMn/MA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhALchZ1Ffg33Oxz9lt1prtGJx
yYB/+TxcuK+T6cMa8SrIAiEA1Qi8lMLp6ECRfgzB+W59QVwYhQXxKCiaEYfqOb0j
f54=
-----END CERTIFICATE-----`,
};

/** Starts the site. `slow` answers only when `release` is called; so does the rest of `slow.bin`. */
export async function startSite() {
  const waiting = [];
  let visits = 0;
  const searches = [];
  const answer = (request, response) => {
    const { pathname: path, searchParams: asked } = new URL(request.url, "http://x");
    if (path === "/file.bin") {
      response.writeHead(200, {
        "content-disposition": `attachment; filename="${asked.get("name") ?? "report.bin"}"`,
      });
      response.end(Buffer.alloc(2000));
    } else if (path === "/slow.bin") {
      response.writeHead(200, {
        "content-disposition": 'attachment; filename="slow.bin"',
        "content-length": 4e6,
      });
      response.write(Buffer.alloc(1e6));
      waiting.push(() => response.end(Buffer.alloc(3e6)));
    } else if (path === "/slow") {
      waiting.push(() => response.end("<title>Slow</title>"));
    } else if (path === "/icon.png") {
      response.writeHead(200, { "content-type": "image/png" });
      response.end(icon);
    } else if (path === "/agent") {
      response.writeHead(200, { "content-type": types[".html"] });
      const sent = JSON.stringify(request.headers["user-agent"]);
      response.end(`<title>Agent</title><body><script src="say.js"></script><script>say(${sent})</script>`);
    } else if (path === "/pictured") {
      response.writeHead(200, { "content-type": types[".html"] });
      const elsewhere = `http://localhost:${plain.address().port}/icon.png`;
      response.end(
        `<title>Pictured</title><body style="margin:0"><img src="${elsewhere}" width="80" height="80">` +
          '<script src="say.js"></script><script>onload = () => say("pictured")</script>',
      );
    } else if (path === "/icon") {
      response.writeHead(200, { "content-type": types[".html"] });
      response.end(
        '<title>Icon</title><link rel="icon" href="icon.png"><body><script src="say.js"></script><script>say("Icon")</script>',
      );
    } else if (path === "/full") {
      response.writeHead(200, { "content-type": types[".html"] });
      response.end(
        `<title>Full</title><body><script src="say.js"></script><script>
          onclick = () => document.documentElement.requestFullscreen();
          document.onfullscreenchange = () => say(document.fullscreenElement ? "fills" : "framed");
          say("Full");
        </script>`,
      );
    } else if (path === "/wait") {
      setTimeout(() => response.end(), 100); // see hang.js
    } else if (path === "/vault") {
      const right = `Basic ${Buffer.from("ann:secret").toString("base64")}`;
      const open = request.headers.authorization === right;
      response.writeHead(open ? 200 : 401, {
        "content-type": types[".html"],
        "www-authenticate": 'Basic realm="The vault"',
      });
      response.end(
        open ? '<title>Vault</title><body><script src="say.js"></script><script>say("inside")</script>' : "no",
      );
    } else if (path === "/search") {
      searches.push(asked.get("q"));
      response.writeHead(200, { "content-type": types[".html"] });
      const said = JSON.stringify(asked.get("q"));
      response.end(`<title>Search</title><body><script src="say.js"></script><script>say(${said})</script>`);
    } else if (path === "/cookie") {
      response.writeHead(200, {
        "content-type": types[".html"],
        "set-cookie": "who=ann; Max-Age=3600",
      });
      const who = JSON.stringify(request.headers.cookie ?? "nobody");
      response.end(`<title>Cookie</title><body><script src="say.js"></script><script>say(${who})</script>`);
    } else if (path === "/say.js") {
      response.writeHead(200, {
        "content-type": types[".js"],
        "cache-control": "no-store",
      });
      response.end(`window.visit = ${++visits};\n${readFileSync(join(fixtures, "say.js"))}`);
    } else if (existsSync(join(fixtures, path)) && path !== "/") {
      response.writeHead(200, {
        "content-type": types[extname(path)] ?? "application/octet-stream",
        "cache-control": "no-store",
      });
      createReadStream(join(fixtures, path)).pipe(response);
    } else {
      response.writeHead(404).end();
    }
  };
  const plain = createServer(answer).listen(0, "127.0.0.1");
  const secure = createSecure(unproven, answer).listen(0, "127.0.0.1");
  await Promise.all([once(plain, "listening"), once(secure, "listening")]);
  return {
    url: `http://127.0.0.1:${plain.address().port}`,
    unproven: `https://127.0.0.1:${secure.address().port}`,
    release: () => waiting.splice(0).forEach((go) => go()),
    searches,
    held: () => waiting.length,
    /** The number of documents that were served. Each shows its number on a second lamp. */
    visits: () => visits,
    close: () => {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
