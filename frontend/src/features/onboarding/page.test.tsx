import { expect, test } from "vitest";
import { act } from "@/testing/act";
import type { DoctorFinding } from "@/bridge/types";
import { find, get, mount, press } from "@/testing/mount";
import { WelcomePage } from "./page";

const finding = (id: string, state: DoctorFinding["state"]): DoctorFinding => ({
  ...{ id, state, title: id, detail: "", facts: "", hint: "" },
});

async function open(...findings: DoctorFinding[]) {
  const { app } = await mount(<WelcomePage />);
  act(() => app.set({ findings, doctored: true }));
  return app;
}

test("limits of this computer are one calm line, and what does not work is named", async () => {
  const app = await open(finding("Sandbox", "warn"), finding("Chromium", "warn"), finding("Helper", "ok"));
  expect(get("computer-details").textContent).toBe("This computerReady, 2 limitsDetails");
  act(() => app.set({ findings: [finding("Sandbox", "bad"), finding("Chromium", "warn")] }));
  expect(get("computer-details").textContent).toBe("This computerSandbox does not work1 limitDetails");
});

test("the details are not below a dialog", async () => {
  const app = await open(finding("Sandbox", "warn"));
  await press("computer-details");
  expect(find("checklist")).not.toBeNull();
  act(() => app.providers.openConnect({ preset: "openai" }));
  expect(find("checklist")).toBeNull();
});
