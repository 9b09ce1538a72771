// An sshd of our own on the loopback, with tmux, and an ssh in front of the real
// one that reads no file of the user who runs the tests.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./port.mjs";
import { Program } from "./program.mjs";

export const passphrase = "open sesame 7";
const daemon = "/usr/sbin/sshd";

function which(name) {
  const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
  if (!found) throw new Error(`${name} is missing: run make deps-test`);
  return found;
}

export class Machine {
  #program;

  static async start(dir) {
    if (!existsSync(daemon)) throw new Error("openssh-server is missing: run make deps-test");
    which("tmux");
    const m = new Machine();
    m.dir = dir;
    m.port = await freePort();
    const put = (name, text) => writeFileSync(join(dir, name), text, { mode: 0o600 });
    const key = (name, phrase) =>
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", phrase, "-f", join(dir, name)]);
    mkdirSync(join(dir, "bin"), { recursive: true });
    key("host", "");
    key("id", passphrase);
    put("authorized_keys", readFileSync(join(dir, "id.pub"), "utf8"));
    put(".tmux.conf", "set -g default-shell /bin/sh\n");
    put(
      "sshd_config",
      [
        `Port ${m.port}\nListenAddress 127.0.0.1\nHostKey ${dir}/host\nPidFile none\nAuthorizedKeysFile ${dir}/authorized_keys`,
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes",
        `PrintMotd no\nPrintLastLog no\nSetEnv HOME=${dir} TMUX_TMPDIR=${dir} LANG=C.UTF-8 SHELL=/bin/sh\n`,
      ].join("\n"),
    );
    put(
      "ssh_config",
      `UserKnownHostsFile ${dir}/known\nGlobalKnownHostsFile none\nIdentityAgent none\nIdentityFile ${dir}/id\nIdentitiesOnly yes\n`,
    );
    put("bin/ssh", `#!/bin/sh\nexec ${which("ssh")} -F '${dir}/ssh_config' "$@"\n`);
    chmodSync(join(dir, "bin/ssh"), 0o700);
    if (process.getuid() === 0) mkdirSync("/run/sshd", { recursive: true });
    await m.listen();
    return m;
  }

  async listen() {
    // sshd reports on standard error that it listens.
    this.#program = new Program("sh", ["-c", `exec ${daemon} -D -e -f '${this.dir}/sshd_config' 2>&1`]);
    await this.#program.line((line) => /listening on 127\.0\.0\.1/i.test(line));
  }

  /** Kills sshd and all of its processes that serve a connection. Programs in tmux keep running. */
  async kill() {
    for (const pid of [this.#program.pid, ...children(this.#program.pid)]) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // the process has already ended
      }
    }
    await this.#program.end("SIGKILL");
  }

  /** Returns the names of tmux's sessions on this server. */
  sessions() {
    const env = { PATH: process.env.PATH, TMUX_TMPDIR: this.dir };
    const { stdout } = spawnSync("tmux", ["list-sessions", "-F", "#{session_name}"], { env, encoding: "utf8" });
    return stdout.split("\n").filter(Boolean);
  }

  async end() {
    await this.kill();
    spawnSync("tmux", ["kill-server"], { env: { PATH: process.env.PATH, TMUX_TMPDIR: this.dir } });
  }
}

/** Returns the sshd processes below a process. */
function children(pid) {
  const all = [];
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      if (stat.includes("(sshd") && stat.split(") ")[1]?.split(" ")[1] === String(pid)) {
        all.push(Number(entry), ...children(Number(entry)));
      }
    } catch {
      // the process ended in the meantime
    }
  }
  return all;
}
