// What the user teaches agents, in the settings: recipes that agents saved, and what a project's folder has.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { complaints, openSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";

const goalctl = fileURLToPath(new URL("../bin/goalctl", import.meta.url));

test("recipes are listed with what they hold, deleted and restored", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    const at = (id) => page.getByTestId(id);
    const command = (...args) =>
      execFileSync(goalctl, ["recipe", ...args], {
        env: { ...process.env, HOME: home, GOALPOST_HOME: home },
        encoding: "utf8",
      });
    const file = join(home, "recipe.yaml");
    writeFileSync(
      file,
      "name: log-in\ndescription: Logs in to the shop.\nparameters:\n  - name: user\n    description: Who logs in\n" +
        'steps:\n  - tool: browser_navigate\n    arguments: {url: "http://127.0.0.1/{{user}}"}\n  - tool: browser_read\n',
    );
    command("save", "log-in", "--file", file);
    writeFileSync(join(home, "state", "recipes", "broken.yaml"), "name: broken\nstops: []\n");
    await at("skip-welcome").click();
    await openSettings(page, "library");
    const recipe = (name) => page.locator(`[data-testid="recipe"][data-id="${name}"]`);
    await recipe("broken").getByText("cannot be used").waitFor();
    await recipe("log-in").getByText("2 steps: browser_navigate, browser_read · needs user").waitFor();
    await recipe("log-in").getByTestId("recipe-show").click();
    await recipe("log-in").getByText("tool: browser_navigate").waitFor();
    await recipe("log-in").getByTestId("recipe-delete").click();
    await recipe("log-in").waitFor({ state: "detached" });
    assert.ok(!existsSync(join(home, "state", "recipes", "log-in.yaml")), "agents can still run it");
    await page.getByRole("button", { name: "Undo" }).click();
    await recipe("log-in").waitFor();
    assert.match(command("show", "log-in"), /Who logs in/);
    assert.deepEqual(complaints(said), []);
  }),
);

test("the files of a project are listed once its folder is chosen", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    const at = (id) => page.getByTestId(id);
    const project = join(home, "project");
    mkdirSync(join(project, ".goalpost", "personas"), { recursive: true });
    writeFileSync(
      join(project, ".goalpost", "personas", "baker.md"),
      "---\nname: baker\ndescription: Bakes bread.\n---\nYou bake.\n",
    );
    const baker = page.locator('[data-testid="library-entry"][data-id="project/baker"]');
    await at("skip-welcome").click();
    await openSettings(page, "library");
    await page.locator('[data-testid="library-entry"][data-id="built_in/engineer"]').waitFor();
    assert.equal(await baker.count(), 0);
    // Completion, as in the other fields for folders.
    await at("field-library-dir").fill(join(home, "proj"));
    await at("folder-choice").getByText("project").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await baker.getByText("not trusted").waitFor();
    await baker.getByTestId("entry-show").click();
    await baker.getByTestId("entry-trust").click();
    await baker.getByText("not trusted").waitFor({ state: "detached" });
    await at("field-library-dir").fill(home);
    await baker.waitFor({ state: "detached" });
    assert.deepEqual(complaints(said), []);
  }),
);
