// A phone uses the program over TLS: it logs in with a link that works once, answers what a goal asks, and is logged out
// from the computer.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSettings, sharedChromium, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { freePort } from "./lib/port.mjs";
import { Program } from "./lib/program.mjs";
import { until } from "./window/window.mjs";

const goalctl = fileURLToPath(new URL("../bin/goalctl", import.meta.url));

test("a phone answers a goal over TLS until its login is ended", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { tool: "browser_open", args: { url: "http://first.invalid/" } },
    { tool: "write_file", args: { path: "a.txt", content: "one\n" } },
    { tool: "claim_complete", args: { rationale: "it is there" } },
  ]);
  try {
    await withApp(t, (app) => answerFromAPhone(app, model));
  } finally {
    model.close();
  }
});

/** A browser as phones have it, which has passed the warning about the certificate. */
async function newPhone() {
  const browser = await sharedChromium();
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
    reducedMotion: "reduce",
    ignoreHTTPSErrors: true,
  });
  context.setDefaultTimeout(limit(60_000));
  return context;
}

async function answerFromAPhone({ page, home }, model) {
  const env = { ...process.env, HOME: home, GOALPOST_HOME: home };
  const remote = ["--listen", "127.0.0.1:0", "--allow-remote", "--tls", "own", "--print-json"];
  const server = new Program(goalctl, ["serve", ...remote], { env });
  const context = await newPhone();
  try {
    await server.line((text) => text.startsWith("{"));
    await addProvider(page, model);
    const dir = join(home, "mine");
    mkdirSync(dir);
    const goal = await startGoal(page, {
      objective: "open a page",
      dir,
      command: "test -s a.txt",
    });
    const device = (...args) => execFileSync(goalctl, ["device", ...args], { env, encoding: "utf8" });
    const link = JSON.parse(device("link", "--json")).url;
    assert.match(link, /^https:/);

    const phone = await context.newPage();
    await phone.goto(link);
    await phone.getByRole("button", { name: "Log in on this device" }).tap();
    const card = phone.locator(`[data-testid="goal-card"][data-goal="${goal}"]`);
    await phone.getByTestId("rail-goals").tap();
    await card.tap();
    await phone.getByTestId("goal-header").getByTestId("ask-deny").tap();
    await page.locator(`[data-testid="goal-card"][data-goal="${goal}"][data-exit="done"]`).waitFor();
    const session = await context.newCDPSession(phone);
    const manifest = await session.send("Page.getAppManifest");
    assert.deepEqual(manifest.errors, [], "the page cannot be installed as an app");
    assert.match(manifest.data, /"display": "standalone"/);

    const [listed] = JSON.parse(device("list", "--json")).filter((d) => d.by === "link");
    assert.match(listed.name, /Chrome/);
    device("revoke", listed.id);
    await phone.getByTestId("login-again-button").tap();
    await phone.getByText("Enter the token").waitFor();
    await page.getByTestId("rail-goals").click(); // the computer's own browser is still logged in
  } finally {
    await context.close();
    await server.end("SIGINT");
  }
}

test("other devices are let in and out in the settings", { timeout: limit(300_000) }, (t) =>
  withApp(t, shareWithAPhone),
);

async function shareWithAPhone({ page, home, url }) {
  const at = (id) => page.getByTestId(id);
  const address = `127.0.0.1:${await freePort()}`;
  const context = await newPhone();
  try {
    await openSettings(page, "devices");
    await at("device").filter({ hasText: "by token" }).waitFor(); // this page's own login
    assert.ok(await at("device-add").isDisabled());
    // Not with the switch, which would let in the network of this computer.
    changeSettings(home, { share_address: new URL(url).host });
    await at("share-problem").getByText("address already in use").waitFor();
    await at("share-address").fill("everywhere");
    await at("share-address").press("Enter");
    await at("error-share-address").getByText("such as 0.0.0.0:4444").waitFor();
    await at("share-address").fill(address);
    await at("share-address").press("Enter");
    await at("share-url").getByText(`https://${address}/`, { exact: true }).waitFor();
    await at("device-add").click();
    const link = await at("device-link").locator("p.font-mono").innerText();
    const phone = await context.newPage();
    await phone.goto(link);
    await phone.getByRole("button", { name: "Log in on this device" }).tap();
    await phone.getByTestId("rail-goals").waitFor();
    await page.keyboard.press("Escape");
    const device = at("device").filter({ hasText: "by link" });
    assert.match(await device.innerText(), /Chrome/);
    await device.getByTestId("device-revoke").click();
    await phone.getByTestId("login-again").waitFor();
    await device.waitFor({ state: "detached" });
    await at("share").click();
    await at("share-url").waitFor({ state: "detached" });
    await until("a refused connection", () =>
      phone.goto(`https://${address}/`).then(
        () => false,
        () => true,
      ),
    );
  } finally {
    await context.close();
  }
}

/** Changes the settings as an editor does: the whole file at once. */
function changeSettings(home, part) {
  const file = join(home, "state", "settings.json");
  const all = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  writeFileSync(`${file}.new`, JSON.stringify({ ...all, settings: { ...all.settings, ...part } }));
  renameSync(`${file}.new`, file);
}
