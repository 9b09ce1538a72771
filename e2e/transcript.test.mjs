// The transcript of a goal is read in the page: what the agent said, thought and did, and what that cost. It can be
// searched and copied, and a button shows the raw call. Text of the model and of programs is never treated as HTML.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const minute = limit(60_000);

test("a transcript is read, searched and copied; the result is Markdown", { timeout: 3 * minute }, async (t) => {
  const model = await startModel([
    {
      text: "I run the **tests** first. <img src=x onerror=\"document.title='broken in'\">",
      tool: "run_command",
      args: { command: "echo 'got 2 coupons, want 1'; exit 3" },
    },
    {
      text: "",
      tool: "edit_file",
      args: { path: "cart.txt", old: "coupons 2\n", new: "coupons 1\n" },
    },
    {
      tool: "claim_complete",
      args: {
        rationale: "one coupon counts",
        result:
          "A coupon counts **once** now.\n\n- see [the rules](https://example.org/rules)\n- ![cat](https://cat.example/a.png)",
      },
    },
  ]);
  try {
    await withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const requests = [];
      page.on("request", (r) => requests.push(r.url()));
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const dir = join(home, "work");
      mkdirSync(dir);
      writeFileSync(join(dir, "cart.txt"), "# cart\ncoupons 2\n");
      await addProvider(page, model);
      await startGoal(page, {
        objective: "Count a coupon once",
        dir,
        command: "grep -q 'coupons 1' cart.txt",
      });
      await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor({ timeout: minute });

      // The activity has the agent's text, and describes its calls in plain words.
      const log = at("step-log");
      await log.getByTestId("log-said").filter({ hasText: "I run the tests first." }).waitFor();
      await log.getByTestId("step").filter({ hasText: "Edited cart.txt" }).waitFor();
      const run = log.locator('[data-testid="step"][data-tool="run_command"]');
      await run.getByText("exit 3 ·").waitFor();
      await run.getByTestId("step-failure").getByText("got 2 coupons, want 1").waitFor();
      await run.getByRole("button").first().click();
      await run.getByTestId("step-result").getByText("Exited with 3").waitFor();
      assert.equal(await run.getByTestId("step-raw").count(), 0);
      await run.getByTestId("step-show-raw").click();
      await run.getByTestId("step-raw").getByText('"command":').waitFor();

      // The file of a step is opened in a pane, at the line that the step changed.
      const edit = log.locator('[data-testid="step"][data-tool="edit_file"]');
      await edit.getByRole("button").first().click();
      await edit.getByTestId("step-file").getByText("cart.txt:2").click();
      const file = page.locator(`[data-testid="file"][data-path="${join(dir, "cart.txt")}"]`);
      await file.locator(".cm-activeLine", { hasText: "coupons 1" }).waitFor();
      await at("rail-goals").click();

      // The result is at the top, as Markdown, and a link in it asks before it opens.
      const result = at("goal-header").getByTestId("goal-result");
      assert.equal(await result.locator("strong").innerText(), "once");
      if ((await result.getByTestId("result-more").count()) > 0) await result.getByTestId("result-more").click();
      assert.equal(await result.locator("img").count(), 0);
      await result.getByRole("link", { name: "the rules" }).click();
      await at("question").getByText("https://example.org/rules").last().waitFor();
      await at("question-no").click();

      // The transcript: search, raw call, copy.
      await at("story-transcript").click();
      const entry = at("transcript-entry");
      await entry.and(page.locator('[data-kind="agent"]')).first().getByTestId("transcript-cost").waitFor();
      assert.ok((await entry.and(page.locator('[data-kind="check"]')).count()) > 0);
      await at("transcript-search").fill("GOT 2 COUPONS");
      await at("transcript-total").getByText("match").waitFor();
      const found = entry.and(page.locator('[data-kind="step"]')).first();
      await found.locator("mark").first().waitFor();
      await found.getByTestId("transcript-raw").click();
      await found.getByTestId("transcript-raw-text").getByText('<output from="the command">').waitFor();
      await at("transcript-search").fill("");
      await at("transcript-total").getByText("entries").waitFor();
      await at("transcript-copy").click();
      await page.getByText("Transcript copied").waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(text, /Agent .*tokens/);
      assert.match(text, /Step 1: Ran echo 'got 2 coupons, want 1'; exit 3 · Failed/);
      assert.match(text, /Check: grep -q 'coupons 1' cart.txt · Passed/);

      assert.doesNotMatch(await page.title(), /broken in/);
      assert.deepEqual(
        requests.filter((url) => /cat\.example|example\.org/.test(url)),
        [],
        "nothing that the model wrote is loaded",
      );
      assert.deepEqual(
        said.filter((line) => line.startsWith("error")),
        [],
        "the page reported errors",
      );
    });
  } finally {
    model.close();
  }
});

test(
  "what the model thinks streams, folded and marked, and stays with its words",
  { timeout: 2 * minute },
  async (t) => {
    let goOn = () => undefined;
    const wait = new Promise((resolve) => (goOn = resolve));
    const model = await startModel([
      {
        thinking: "The total starts too low.\nSo I change the sum, not the loop.",
        wait,
        text: "I fix the **sum**.",
        tool: "write_file",
        args: { path: "done.txt", content: "x" },
      },
      { tool: "claim_complete", args: { rationale: "the file is there" } },
    ]);
    try {
      await withApp(t, async ({ page, home, said }) => {
        const at = (id) => page.getByTestId(id);
        const dir = join(home, "work");
        mkdirSync(dir);
        await addProvider(page, model);
        await startGoal(page, {
          objective: "Fix the sum",
          dir,
          command: "test -f done.txt",
        });

        // While the turn runs, its newest line is shown and the rest is folded.
        const thinking = at("live-text").getByTestId("live-thinking");
        await thinking.getByText("So I change the sum, not the loop.").waitFor();
        assert.match(await thinking.innerText(), /^Thinking…/);
        assert.doesNotMatch(await thinking.innerText(), /starts too low/);
        await thinking.getByRole("button").click();
        await thinking.getByText("The total starts too low.").waitFor();

        goOn();
        await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor();
        assert.equal(await at("live-text").count(), 0);
        const words = at("step-log").getByTestId("log-said").filter({ hasText: "I fix the sum." });
        await words.getByTestId("reasoning").getByRole("button").click();
        await words.getByText("The total starts too low.").waitFor();
        assert.ok(
          !JSON.stringify(model.criticised).includes("starts too low"),
          "critic and reviewer do not get the thinking",
        );
        assert.deepEqual(
          said.filter((line) => line.startsWith("error")),
          [],
          "the page reported errors",
        );
      });
    } finally {
      goOn();
      model.close();
    }
  },
);
