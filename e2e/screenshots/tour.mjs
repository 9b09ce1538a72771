// Leads a page through every screen, and takes a picture of each.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startGoal } from "../lib/goals.mjs";
import { goals, makeShop } from "./shop.mjs";

export class Tour {
  #page;
  #camera;
  #where;

  constructor(page, camera, where) {
    this.#page = page;
    this.#camera = camera;
    this.#where = where;
  }

  #at(id) {
    return this.#page.getByTestId(id);
  }

  async #click(id) {
    await this.#at(id).first().click();
  }

  async #settings(name) {
    await this.#click("rail-settings");
    await this.#click(`settings-page-${name}`);
  }

  #shoot(name) {
    return this.#camera.shoot(name);
  }

  async firstStart() {
    await this.#at("welcome").waitFor();
    await this.#shoot("first-start");
    await this.#click("computer-details");
    await this.#at("checklist").waitFor();
    await this.#shoot("first-start-details");
    await this.#click("computer-details");
  }

  /** Connects the played model, after a key that it refuses. */
  async connect() {
    const { model, key } = this.#where;
    await this.#click("preset-custom");
    await this.#at("connect-address").fill(model);
    await this.#at("connect-name").fill("example");
    await this.#at("connect-key").fill("sk-wrong-0123456789abcdef");
    await this.#click("connect-test");
    const status = this.#at("connect-status");
    await status.and(this.#page.locator('[data-state="bad"]')).waitFor();
    await this.#shoot("connect-model-error");
    await this.#at("connect-key").fill(key);
    await this.#click("connect-test");
    await status.and(this.#page.locator('[data-state="ok"]')).waitFor();
    await this.#shoot("connect-model");
    await this.#click("connect-save");
    await this.#at("connect-dialog").waitFor({ state: "detached" });
    await this.#page.keyboard.press("Escape");
    if (await this.#at("skip-welcome").isVisible()) await this.#click("skip-welcome");
    await this.#settings("appearance");
    await this.#click("theme-system");
    await this.#click("rail-workspace");
    await this.#at("workspace-empty").waitFor();
    await this.#shoot("workspace-empty");
    await this.#makeWorkspaces();
  }

  /** Three workspaces, as on a real day; the first one is open. */
  async #makeWorkspaces() {
    for (const name of ["infra", "notes"]) {
      await this.#click("new-workspace");
      await this.#at("field-workspace-name").fill(name);
      await this.#click("workspace-create");
      await this.#at("new-workspace-dialog").waitFor({ state: "detached" });
    }
    await this.#click("workspace-tab");
    await this.#at("workspace-tab").first().focus();
    await this.#page.keyboard.press("F2");
    await this.#at("workspace-name").fill("shop");
    await this.#page.keyboard.press("Enter");
    await this.#at("workspace-tab").first().getByText("shop").waitFor();
  }

  /** Starts the goals, and takes a picture of each where a user sees it. */
  async runGoals() {
    // Each goal has its own folder, because goals that write in the same folder wait for each other.
    const start = (objective, command, name) =>
      startGoal(this.#page, { objective, dir: this.#makeFolder(name), command });
    const shop = this.#makeFolder("shop");

    await this.#fillNewGoal(shop);
    await this.#ended(await start(goals.cart, "sh test/total.sh", "shop"), "done");
    await this.#shoot("goal-done");
    await this.#click("story-changes");
    await this.#at("changes-file").and(this.#page.locator('[data-path="cart.go"]')).click();
    await this.#at("diff-line").first().waitFor();
    await this.#shoot("goal-changes");
    await this.#click("undo-all");
    await this.#at("undo-confirm").waitFor();
    await this.#shoot("goal-undo");
    await this.#click("undo-cancel");
    await this.#click("commit");
    await this.#at("commit-confirm").waitFor();
    await this.#shoot("goal-commit");
    await this.#click("commit-cancel");
    await this.#click("story-log");
    await this.#at("step").nth(3).click();
    await this.#at("step-result").first().waitFor();
    await this.#shoot("goal-step");
    await this.#click("receipt-open");
    await this.#at("receipt-dialog").waitFor();
    await this.#shoot("goal-receipt");
    await this.#page.keyboard.press("Escape");

    await this.#ended(await start(goals.notes, "test -s NOTES-2.1.md", "shop"), "done");
    await this.#ended(await start(goals.broken, "test -x nightly", "build"), "gave_up");
    await this.#shoot("goal-failed");

    const server = await start(goals.page, "test -s published", "storefront");
    await this.#click("rail-workspace");
    await this.#page.getByText("waits", { exact: false }).first().waitFor();
    await this.#page.waitForFunction(() => {
      const canvas = document.querySelector('[data-testid="browser-canvas"]');
      return canvas && canvas.width > 0 && Number(canvas.dataset.frame) > 0;
    });
    await this.#choose(server);
    await this.#shoot("workspace");

    const asking = await start(goals.prices, "test -s prices.csv", "prices");
    await this.#at("goal-header").getByText("Needs you").first().waitFor();
    await this.#shoot("goal-needs-you");
    await this.#click("rail-workspace");
    await this.#choose(asking);
    await this.#at("goal-drawer").getByTestId("ask-once").waitFor();
    await this.#shoot("workspace-needs-you");
    await this.#page.keyboard.press("Control+Shift+KeyY"); // to the request
    await this.#page.waitForFunction(() => document.activeElement?.closest("[data-request]"));
    await this.#page.keyboard.press("Control+Shift+KeyY"); // and to all of them
    await this.#at("approvals").waitFor();
    await this.#shoot("approvals");
    await this.#click("approvals-close");

    const question = await start(goals.invoice, "test -s invoice.txt", "invoices");
    await this.#at("goal-header").getByTestId("answer-text").waitFor();
    await this.#click("rail-workspace");
    await this.#choose(question);
    await this.#at("goal-drawer").getByTestId("answer-text").waitFor();
    await this.#shoot("workspace-question");
  }

  /** Makes a repository, if it does not exist yet. */
  #makeFolder(name) {
    const dir = join(this.#where.home, name);
    if (!existsSync(dir)) {
      mkdirSync(dir);
      makeShop(dir);
    }
    return dir;
  }

  async #fillNewGoal(shop) {
    await this.#click("rail-goals");
    await this.#shoot("goals-empty");
    await this.#click("dashboard-new-goal");
    await this.#at("check-command").fill("sh test/total.sh");
    await this.#at("field-objective").fill(goals.cart);
    await this.#at("field-dir").fill(shop);
    await this.#click("check-try");
    await this.#at("try-result").waitFor();
    await this.#shoot("new-goal");
    await this.#click("more");
    await this.#at("field-criticEvery").waitFor();
    await this.#at("field-criticEvery").scrollIntoViewIfNeeded();
    await this.#shoot("new-goal-advanced");
    await this.#click("draft-clear");
    await this.#page.keyboard.press("Escape");
    await this.#at("new-goal").waitFor({ state: "detached" });
  }

  /** Waits for the end of a goal that the dashboard shows. */
  async #ended(goal, exit) {
    const card = this.#at("goal-card").and(this.#page.locator(`[data-goal="${goal}"][data-exit="${exit}"]`));
    await card.waitFor();
    await card.click();
    await this.#at("goal-header").waitFor();
  }

  /** Shows a goal in the drawer, if another one is there. */
  async #choose(goal) {
    const live = this.#at("goal-tab").and(this.#page.locator(`[data-goal="${goal}"]`));
    if (await live.isVisible()) await live.click();
    await this.#at("goal-drawer")
      .and(this.#page.locator(`[data-goal="${goal}"]`))
      .waitFor();
  }

  async lookAtGoals() {
    await this.#click("rail-goals");
    await this.#shoot("goals");
    await this.#page.keyboard.press("Control+Shift+KeyP");
    await this.#at("palette-input").waitFor();
    await this.#shoot("palette");
    await this.#page.keyboard.press("Escape");
  }

  async lookAtSettings() {
    await this.#settings("terminal");
    await this.#shoot("settings");
    await this.#settings("models");
    await this.#at("providers").waitFor();
    await this.#shoot("settings-models");
    await this.#settings("secrets-and-logins");
    await this.#at("secrets").waitFor();
    await this.#shoot("settings-secrets");
    await this.#page.keyboard.press("Control+Shift+KeyP");
    await this.#at("palette-input").fill("SSH");
    await this.#click("action-servers");
    await this.#at("servers").waitFor();
    await this.#shoot("servers");
    await this.#click("servers-close");
  }
}
