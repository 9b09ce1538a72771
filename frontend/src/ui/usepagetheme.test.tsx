import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { flushAll, mount } from "@/testing/mount";
import { usePageTheme } from "./usepagetheme";

function Shown() {
  return <p>{usePageTheme()}</p>;
}

test("the theme of the page is followed when it changes", async () => {
  document.documentElement.dataset.theme = "dark";
  await mount(<Shown />);
  const shown = () => document.querySelector("p")?.textContent;
  expect(shown()).toBe("dark");
  act(() => void (document.documentElement.dataset.theme = "light"));
  await flushAll();
  expect(shown()).toBe("light");
});
