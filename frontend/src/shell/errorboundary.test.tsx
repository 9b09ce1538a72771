import { useReducer } from "react";
import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { find, get, mount } from "@/testing/mount";
import { ErrorBoundary } from "./errorboundary";

function Broken(): never {
  throw new Error("invalid language tag: C");
}

test("a part that fails says so, and the rest of the window stays", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  let place = "goals";
  let redraw: () => void = () => undefined;
  function Places() {
    const [, again] = useReducer((n: number) => n + 1, 0);
    redraw = again;
    return (
      <>
        <nav id="rest">rail</nav>
        <ErrorBoundary what="This page" place={place}>
          {place === "goals" ? <Broken /> : <p id="whole">settings</p>}
        </ErrorBoundary>
      </>
    );
  }
  await mount(<Places />);
  expect(get("part-failed").textContent).toContain("This page could not be shown");
  expect(get("part-failed").textContent).toContain("invalid language tag: C");
  expect(document.getElementById("rest")?.textContent).toBe("rail");
  place = "settings";
  act(() => redraw());
  expect(find("part-failed")).toBeNull();
  expect(document.getElementById("whole")?.textContent).toBe("settings");
});
