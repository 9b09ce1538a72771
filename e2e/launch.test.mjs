// Different goals from a pasted list: what cannot start stays with the reason, the others run at once.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const minute = limit(60_000);

test(
  "a pasted list starts its goals, and a goal that cannot start can be corrected",
  { timeout: 3 * minute },
  async (t) => {
    const model = await startModel([
      (body) =>
        body.messages.some((m) => m.role === "assistant")
          ? { tool: "claim_complete", args: { rationale: "the file is there" } }
          : { tool: "write_file", args: { path: "done.txt", content: "x\n" } },
    ]);
    try {
      await withApp(t, async ({ page, home }) => {
        const at = (id) => page.getByTestId(id);
        const dirs = ["one", "two"].map((name) => join(home, name));
        for (const dir of dirs) mkdirSync(dir);
        await addProvider(page, model);
        await at("rail-goals").click();
        await at("launch-open").click();
        const list = [
          ["Write the first notes", "test -s done.txt", dirs[0]],
          ["Write the second notes", "true", dirs[1]],
        ];
        await at("launch-objective")
          .first()
          .evaluate(
            (field, text) => {
              const data = new DataTransfer();
              data.setData("text/plain", text);
              field.dispatchEvent(
                new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
              );
            },
            list.map((row) => row.join("\t")).join("\n"),
          );
        assert.equal(await at("launch-objective").nth(1).inputValue(), "Write the second notes");
        await at("launch-start").click();
        await at("launch-note").getByText("already").waitFor({ timeout: minute }); // its check passes
        // Two started, in any order: the first row may still be there. It leaves the second and the empty one.
        await at("launch-row").nth(2).waitFor({ state: "detached", timeout: minute });
        assert.equal(await at("launch-objective").first().inputValue(), "Write the second notes");
        await at("launch-command").first().fill("test -s done.txt");
        await at("launch-start").click();
        await at("launch").waitFor({ state: "detached" });
        for (const objective of ["Write the first notes", "Write the second notes"]) {
          await page
            .locator('[data-testid="goal-card"][data-status="completed"]', { hasText: objective })
            .waitFor({ timeout: minute });
        }
        for (const dir of dirs) assert.equal(readFileSync(join(dir, "done.txt"), "utf8"), "x\n");
      });
    } finally {
      model.close();
    }
  },
);
