// A port for a program that cannot choose one itself.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";

const least = 10_000;

/** The first port that the kernel assigns automatically. Below it, a port that is free now is still free when it is used. */
function first() {
  try {
    return Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s+/)[0]);
  } catch {
    return 32_768; // not on Linux
  }
}

function listens(server) {
  return once(server, "listening").then(
    () => true,
    () => false,
  );
}

export async function freePort() {
  const end = Math.max(first(), least + 5_000);
  for (;;) {
    const port = least + Math.floor(Math.random() * (end - least));
    const server = createServer().listen(port, "127.0.0.1");
    if (!(await listens(server))) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
}
