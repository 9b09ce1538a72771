// Keys of commands are changed in the settings, and work, show and return.
import assert from "node:assert/strict";
import { test } from "node:test";
import { complaints, openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";

test(
  "a command gets another key, a conflict is named first, and one or all get their defaults back",
  {
    timeout: limit(200_000),
  },
  (t) =>
    withApp(t, async ({ page, home, url, said }) => {
      const at = (id) => page.getByTestId(id);
      const row = (id) => at("key-row").and(page.locator(`[data-id="${id}"]`));
      const press = (key) => page.keyboard.press(key);
      const change = async (id) => {
        await row(id).getByTestId("key-change").click();
        await page.locator('[data-testid="key-field"]:focus').waitFor();
      };
      await at("skip-welcome").click();
      await savedSettings(home, (s) => s.welcomed);
      const second = await page.context().newPage();
      await second.goto(url);
      await second.getByTestId("status-palette").getByText("Ctrl+Shift+P").waitFor();
      await openSettings(page, "keyboard");

      // A key that shells need is refused; a free one is taken at once, in every window, menu and tooltip.
      await change("palette");
      await press("Control+KeyR");
      await at("key-note").getByText("Shells and programs in terminals need Ctrl+R.").waitFor();
      await press("Control+Alt+KeyO");
      await row("palette").getByText("Ctrl+Alt+O").waitFor();
      await savedSettings(home, (s) => s.keys?.palette?.[0] === "Ctrl+Alt+KeyO");
      await second.getByTestId("status-palette").getByText("Ctrl+Alt+O").waitFor();
      await press("Control+Alt+KeyO");
      await at("palette").waitFor();
      await press("Escape");
      await at("palette").waitFor({ state: "detached" });
      await press("Control+Shift+KeyP");
      assert.equal(await at("palette").count(), 0, "the former key still opens the palette");

      // Find by key: what has it.
      await at("find-by-key").click();
      await press("Control+Shift+KeyG");
      await at("find-by-key").getByText("Ctrl+Shift+G").waitFor();
      assert.deepEqual(await at("key-row").evaluateAll((all) => all.map((r) => r.dataset.id)), ["goals"]);
      assert.equal(await at("dashboard").count(), 0, "the key that is looked for ran its command");
      await at("find-by-key").click();

      // A conflict names the other command; Replace takes the key from it.
      await change("chat");
      await press("Control+Shift+KeyG");
      await at("key-note").getByText("Ctrl+Shift+G is used by Toggle goals.").waitFor();
      await at("key-take").click();
      await row("goals").getByText("Changed").waitFor();
      await savedSettings(home, (s) => s.keys.goals?.length === 0 && s.keys.chat[0] === "Ctrl+Shift+KeyG");
      await row("goals").getByTestId("key-reset").click();
      await savedSettings(home, (s) => !("goals" in s.keys));
      await at("keys-reset").click();
      await page.getByRole("button", { name: "Reset all", exact: true }).click();
      await savedSettings(home, (s) => Object.keys(s.keys ?? {}).length === 0);
      await second.getByTestId("status-palette").getByText("Ctrl+Shift+P").waitFor();
      await press("Control+Shift+KeyP");
      await at("palette").waitFor();
      assert.deepEqual(complaints(said), []);
    }),
);

test(
  "the letter of a command after the leader is changed, with its own conflicts, and found by the search",
  {
    timeout: limit(200_000),
  },
  (t) =>
    withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const row = (id) => at("key-row").and(page.locator(`[data-id="${id}"]`));
      const press = (key) => page.keyboard.press(key);
      const record = async (id) => {
        await row(id).getByTestId("leader-change").click();
        await page.locator('[data-testid="key-field"]:focus').waitFor();
      };
      await at("skip-welcome").click();
      await savedSettings(home, (s) => s.welcomed);
      await openSettings(page, "terminal");

      // The search of the settings finds a command by its name and by its key, and leads to its row.
      await at("settings-search").fill("all chats");
      await at("settings-hit").getByText("All chats").waitFor();
      await press("Enter");
      await row("chat.all").and(page.locator("[data-marked]")).waitFor();
      await page.locator('[data-id="chat.all"] [data-testid="key-change"]:focus').waitFor();
      await page.waitForURL((url) => url.search === "?place=settings&at=key-chat.all");
      await at("settings-search").fill("ctrl+shift+g");
      await at("settings-hit").first().getByText("Toggle goals").waitFor();

      // A letter that is free is taken at once, shown in the list after the leader, and works.
      await record("chat.all");
      await press("Control+KeyQ");
      await at("key-note").getByText("Press a letter, a digit or an arrow alone.").waitFor();
      await press("KeyQ");
      await row("chat.all").getByTestId("leader-change").getByText("Q").waitFor();
      await savedSettings(home, (s) => s.leader_keys?.["chat.all"] === "q");
      await press("Control+Shift+Space");
      await at("leader-key").filter({ hasText: "All chats" }).getByText("Q", { exact: true }).waitFor();
      await press("KeyQ");
      await at("leader-keys").waitFor({ state: "detached" });
      await at("chat-list").waitFor();

      // A conflict names the other command; a swap gives it the letter of this one.
      await openSettings(page, "keyboard");
      await record("chat.all");
      await press("KeyG");
      await at("key-note").getByText("G is used by Toggle goals.").waitFor();
      await at("key-swap").click();
      await savedSettings(home, (s) => s.leader_keys["chat.all"] === "g" && s.leader_keys.goals === "q");
      await row("goals").getByTestId("leader-change").getByText("Q").waitFor();

      // Backspace takes a letter away, and a row or all rows get their defaults back.
      await record("help");
      await press("Backspace");
      await savedSettings(home, (s) => s.leader_keys.help === "");
      await row("help").getByTestId("key-reset").click();
      await savedSettings(home, (s) => !("help" in s.leader_keys));
      await at("keys-reset").click();
      await page.getByRole("button", { name: "Reset all", exact: true }).click();
      await savedSettings(home, (s) => Object.keys(s.leader_keys ?? {}).length === 0);
      await row("goals").getByTestId("leader-change").getByText("G").waitFor();
      assert.deepEqual(complaints(said), []);
    }),
);
