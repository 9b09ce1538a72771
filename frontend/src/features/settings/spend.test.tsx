import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { App } from "@/store/app";
import { find, flushAll, get, mount, write } from "@/testing/mount";
import { SettingsPage } from "./page";

const rows = () => [...document.querySelectorAll('[data-testid="spend-row"]')].map((r) => r.textContent);

async function start(app: App) {
  await app.start();
  app.openSettings("Spending");
}

test("the table sums by what is chosen, with a total and what has no price", async () => {
  await mount(<SettingsPage />, undefined, start);
  expect(get("spend-today").textContent).toBe("$7.42 today");
  expect(rows()).toEqual([
    "Sat, Mar 14$7.423184.8 M96.4 k",
    "Fri, Mar 13$11.085027.2 M141.2 k",
    "Wed, Mar 11$0.004232.1 k310",
    "Total$18.5082312.0 M237.9 k",
  ]);
  act(() => get("spend-by-provider").querySelector("input")?.click());
  await flushAll();
  expect(rows()[1]).toBe("ollama–12104.1 k1.9 k");
  act(() => get("spend-by-goal").querySelector("input")?.click());
  await flushAll();
  expect(rows()[2]).toContain("Deleted goal");
  expect(rows()[3]).toContain("Outside of goals");
});

test("a limit is saved as an amount; anything else is refused at its field", async () => {
  const { app } = await mount(<SettingsPage />, undefined, start);
  const field = get("daily-limit") as HTMLInputElement;
  expect(field.value).toBe("$20.00");
  const enter = async (text: string) => {
    write("daily-limit", text);
    expect(field.getAttribute("aria-invalid")).toBe(String(text === "much"));
    act(() => void field.dispatchEvent(new KeyboardEvent("keydown", { code: "Enter", bubbles: true })));
    await flushAll();
  };
  await enter("2,50");
  expect(app.state.settings?.daily_limit_usd).toBe(2.5);
  await enter("much");
  expect(app.state.settings?.daily_limit_usd).toBe(2.5);
  await enter("");
  expect(app.state.settings?.daily_limit_usd).toBe(0);
});

test("where no price is known it says that the limit cannot hold", async () => {
  const bridge = new FakeBridge();
  for (const p of bridge.providers) p.has_price = p.scripted;
  await mount(<SettingsPage />, bridge, start);
  expect(get("daily-limit-cannot-hold").textContent).toContain("the limit is not enforced");
  bridge.settings.daily_limit_usd = 0;
});

test("without turns the table says so", async () => {
  await mount(<SettingsPage />, new FakeBridge({ empty: true }), start);
  expect(get("spend-empty").textContent).toBe("No model was used in this period.");
  expect(find("spend-table")).toBeNull();
});
