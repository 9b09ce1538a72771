import { beforeEach, expect, test, vi } from "vitest";
import type { FakeBridge } from "@/bridge/fake/bridge";
import type { ArgsSaveWebhook } from "@/bridge/types";
import type { App } from "@/store/app";
import { all, mount, nth, press, until, write } from "@/testing/mount";
import { Webhooks } from "./webhooks";

let app: App;
let bridge: FakeBridge;

beforeEach(async () => {
  ({ app, bridge } = await mount(<Webhooks />));
});

const saved = () => bridge.calls.filter((c) => c.method === "WebhookAPI.Save").map((c) => c.args[0] as ArgsSaveWebhook);
const text = (id: string) => nth(all(id), 0).textContent;

test("each webhook says its service, its host and what it receives, and which delivery failed", () => {
  const [phone, team] = all("webhook").map((el) => el.textContent);
  expect(phone).toContain("ntfy.sh · Needs you · Ended");
  expect(phone).not.toContain("failed");
  expect(team).toContain("The last delivery failed");
  expect(team).toContain("it answered 404 Not Found: no_service");
});

test("a test says the answer and the time, or why it did not arrive", async () => {
  await press(nth(all("webhook-test"), 0));
  expect(text("webhook-result")).toBe("The test arrived: answer 200 after 84 ms.");
  bridge.refusals.set("WebhookAPI.Test", {
    code: "unavailable",
    message: "it answered 404 Not Found",
    hint: "check the address",
    field: "",
  });
  await press(nth(all("webhook-test"), 0));
  expect(text("webhook-problem")).toContain("did not arrive: it answered 404 Not Found. check the address");
  expect(all("webhook-result")).toHaveLength(0);
});

test("a new webhook is saved with its address, and a change without it", async () => {
  await press(nth(all("webhook-add"), 0));
  write("webhook-name", " desk ");
  write("webhook-url", "https://ntfy.sh/topic");
  await press(nth(all("webhook-event-ended"), 0));
  await press(nth(all("webhook-save"), 0));
  await until(() => expect(saved().length).toBe(1));
  expect(saved()[0]).toEqual({
    name: "desk",
    form: "ntfy",
    events: ["needs_you"],
    plain_http: false,
    url: "https://ntfy.sh/topic",
  });
  await press(nth(all("webhook-edit"), 0));
  expect(nth(all("webhook-url"), 0).getAttribute("type")).toBe("password");
  await press(nth(all("webhook-save"), 0));
  await until(() => expect(saved().length).toBe(2));
  expect(saved()[1]?.url).toBe("");
});

test("a refused address is shown at its field", async () => {
  bridge.refusals.set("WebhookAPI.Save", {
    code: "refused",
    message: "this is not the address of a webhook",
    hint: "copy the whole address",
    field: "url",
  });
  await press(nth(all("webhook-add"), 0));
  await press(nth(all("webhook-save"), 0));
  expect(text("error-webhook-url")).toContain("this is not the address of a webhook");
});

test("a removed webhook can be put back", async () => {
  const done = vi.spyOn(app.notices, "done");
  await press(nth(all("webhook-remove"), 0));
  await until(() => expect(all("webhook").length).toBe(1));
  expect(done.mock.calls[0]?.[0]).toBe("Removed the webhook phone");
  expect(done.mock.calls[0]?.[1]?.label).toBe("Undo");
  done.mock.calls[0]?.[1]?.run();
  await until(() => expect(all("webhook").length).toBe(2));
  expect(bridge.calls.map((c) => c.method)).toContain("WebhookAPI.Restore");
});
