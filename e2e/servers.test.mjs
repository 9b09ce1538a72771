// A terminal on a server: a real sshd on the loopback with tmux, a host key, and a user's key with a passphrase. The
// connection is lost, and later Goalpost is restarted. The passphrase is saved once, and deleted later.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { startServe } from "./lib/serve.mjs";
import { Machine, passphrase } from "./lib/sshd.mjs";

test("a terminal on a server outlives its connection and Goalpost", { timeout: limit(300_000) }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-sshd-"));
  mkdirSync(dir, { recursive: true });
  const machine = await Machine.start(dir);
  const env = { PATH: `${join(dir, "bin")}:${process.env.PATH}`, SSH_AUTH_SOCK: "" };
  try {
    await withApp(
      t,
      async ({ page, home, program, said }) => {
        const at = (id) => page.getByTestId(id);
        const terminal = at("terminal").first();
        // Two clicks within 300 ms would be a double click, with which tmux selects a word and reads keys as commands.
        const focus = async () => {
          const hasFocus = await terminal.evaluate((el) => el.querySelector("textarea") === document.activeElement);
          if (!hasFocus) await terminal.locator(".xterm-screen").click();
        };
        const type = async (text) => {
          await focus();
          await page.keyboard.type(`${text}\n`);
        };
        const unlock = async () => {
          await at("ask-text").fill(passphrase);
          await at("ask-send").click();
          await at("terminal-ask").waitFor({ state: "detached" });
        };
        await at("skip-welcome").click();

        // The leader, then h.
        await page.keyboard.press("Control+Shift+Space");
        await page.keyboard.press("h");
        await at("server-add").click();
        await at("server-host").fill("-oProxyCommand=true");
        await at("server-save").click();
        await at("error-server-host").waitFor(); // the error is at its field, and nothing is started
        await at("server-host").fill("127.0.0.1");
        await at("server-name").fill("box");
        await at("server-key_path").fill(`${dir}/`);
        const offered = page.locator(`datalist option[value="${join(dir, "id")}"]`);
        await offered.waitFor({ state: "attached" });
        await at("server-key_path").fill("");
        await at("server-port").fill("1");
        await at("server-test").click();
        await at("server-tested").getByText("Port: nothing listens at this port").waitFor();
        await at("server-port").fill(String(machine.port));
        await at("server-test").click();
        await at("server-tested").getByText("Host: the server answers, and its host key is unknown").waitFor();
        await at("server-save").click();
        await at("server-connect").click();

        await at("terminal-ask").getByText("authenticity of host").waitFor();
        await at("ask-yes").click();
        await at("terminal-ask").getByText("passphrase").waitFor();
        await unlock();
        await type("echo in $((40+2)); kept=yes");
        await terminal.getByText("in 42").first().waitFor();
        await at("pane-server").getByText("box · goalpost-").waitFor();

        // Over the open connection the sessions can be listed without another question.
        await page.keyboard.press("Control+Shift+Space");
        await page.keyboard.press("h");
        await at("server-sessions").click();
        await at("session").getByText("goalpost-").first().waitFor();
        await at("servers-close").click();

        // A half-typed line that ssh has sent is not lost with the connection. Its last character is visible, so that the
        // wait is for the whole line.
        await focus();
        await page.keyboard.type("echo half-");
        await terminal.getByText("echo half-").first().waitFor();
        await machine.kill();
        await at("terminal-problem").getByText("The connection was lost").waitFor();
        await machine.listen();
        // The terminal reconnects automatically after a while, and may already have done so.
        await page.evaluate(() => document.querySelector('[data-testid="terminal-connect"]')?.click());
        await at("terminal-problem").waitFor({ state: "detached" });
        assert.equal(await at("terminal-ask").count(), 0, "it asks again");
        await type("typed, still $kept");
        await terminal.getByText("half-typed, still yes").first().waitFor();

        // Goalpost ends; the session does not.
        await program.end();
        const again = await startServe(home, env);
        try {
          await page.goto(again.url);
          await at("terminal-ask").getByText("passphrase").waitFor();
          await at("ask-save").check();
          await unlock();
          await type("echo after $kept");
          await terminal.getByText("after yes").first().waitFor();

          // When the pane is closed, the session keeps running on the server. The list of sessions opens it again.
          await page.keyboard.press("Control+Shift+KeyW");
          await at("question-other").click();
          await at("workspace-empty").waitFor();
          const [kept, ...others] = machine.sessions();
          assert.deepEqual(others, []);
          await page.keyboard.press("Control+Shift+Space");
          await page.keyboard.press("h");
          await at("server-connect").click();
          await type("echo another $((3*3))"); // the saved answer is right: nothing is asked
          await terminal.getByText("another 9").first().waitFor();
          await page.keyboard.press("Control+Shift+Space");
          await page.keyboard.press("s");
          await at("settings-page-secrets-and-logins").click();
          await at("login").getByText(`ssh://127.0.0.1:${machine.port}`).waitFor();
          await at("login-remove").click();
          await at("question-yes").click();
          await at("login").waitFor({ state: "detached" });
          await at("settings-close").click();
          await page.keyboard.press("Control+Shift+Space");
          await page.keyboard.press("h");
          await at("server-sessions").click();
          await at("session").filter({ hasText: kept }).getByTestId("session-attach").click();
          await at("terminal-ask").getByText("passphrase").waitFor();
          await unlock();
          const back = at("terminal").last();
          await back.locator(".xterm-screen").click();
          await page.keyboard.type("echo back $kept\n");
          await back.getByText("back yes").first().waitFor();

          // The session can also be ended on the server.
          for (const left of [1, 0]) {
            await page.keyboard.press("Control+Shift+KeyW");
            await at("question-yes").click();
            await page.waitForFunction((n) => document.querySelectorAll('[data-testid="terminal"]').length === n, left);
            assert.equal(machine.sessions().length, left);
          }
        } finally {
          await again.program.end();
        }
        assert.deepEqual(complaints(said), [], "the page reported errors");
      },
      env,
    );
  } finally {
    await machine.end();
    rmSync(dir, { recursive: true, force: true });
  }
});
