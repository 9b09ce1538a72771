// The first steps of tests of goals: a model that the test plays, and a goal from the dialog.
import { openSettings } from "./app.mjs";

/** Connects the played model as the provider of new goals, starting from the first page. */
export async function addProvider(page, model) {
  const at = (id) => page.getByTestId(id);
  await at("skip-welcome").click();
  await openSettings(page, "models");
  await at("provider-add").click();
  await at("preset-custom").click();
  await at("connect-address").fill(model.url);
  await at("connect-name").fill("played");
  await at("connect-test").click();
  await at("connect-status").and(page.locator('[data-state="ok"]')).waitFor();
  await at("connect-save").click();
  await at("providers").locator('[data-id="played"][data-active="true"][data-ready="true"]').waitFor();
  await at("settings-close").click();
}

/** Starts a goal in the dialog and returns its id. The dashboard shows it afterwards. */
export async function startGoal(page, { objective, dir, command, risk }) {
  const at = (id) => page.getByTestId(id);
  if (!(await at("dashboard").isVisible())) await at("rail-goals").click();
  await at("dashboard-new-goal").click();
  // The user's own check comes first: then none is suggested.
  await at("check-command").fill(command);
  await at("field-objective").fill(objective);
  await at("field-dir").fill(dir);
  if (risk) {
    await at("say-risk").click();
    await at(`risk-${risk}`).click();
  }
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  if (!(await at("dashboard").isVisible())) await at("rail-goals").click();
  const card = at("goal-card").filter({ hasText: objective });
  await card.waitFor();
  return card.getAttribute("data-goal");
}
