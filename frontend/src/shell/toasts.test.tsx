import { expect, test } from "vitest";
import { act } from "@/testing/act";
import { mount, until } from "@/testing/mount";
import { Toasts, toasts } from "./toasts";

const notices = () => [...document.querySelectorAll<HTMLElement>("[data-sonner-toast]")];
const long = `Chromium ended; its output: ${"cannot connect to the bus ".repeat(40)}`;

test("a long problem is clipped, and Details shows all of it until it is closed", async () => {
  await mount(<Toasts />);
  act(() => toasts.problem({ code: "internal", message: long, hint: "", field: "" }));
  await until(() => expect(notices()).toHaveLength(1));
  const clipped = notices()[0]?.textContent ?? "";
  expect(clipped.length).toBeLessThan(200);
  expect(clipped).toContain("Details");
  act(() => notices()[0]?.querySelector<HTMLElement>("[data-button]")?.click());
  await until(() => expect(notices()[0]?.textContent).toContain(long));
  expect(notices()).toHaveLength(1);
});

test("what a user closed is no problem", async () => {
  await mount(<Toasts />);
  act(() => {
    toasts.problem({ code: "closed", message: "the browser pane is closed", hint: "open another one", field: "" });
    toasts.problem({ code: "unavailable", message: "Chromium was not found", hint: "", field: "" });
  });
  await until(() => expect(notices().some((n) => n.textContent.includes("not found"))).toBe(true));
  expect(notices().some((n) => n.textContent.includes("is closed"))).toBe(false);
});
