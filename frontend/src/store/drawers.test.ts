import { beforeEach, expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import { emptyDetail } from "./goaldetail";
import { lastGoal, rememberDrawers } from "./drawers";
import { initialState } from "./state";

beforeEach(() => localStorage.clear());

const open = () => {
  const store = createStore(() => initialState);
  rememberDrawers(store, localStorage);
  return store;
};

test("a window opens its drawers as they were", () => {
  const first = open();
  expect(first.getState()).toMatchObject({ drawer: true, ownDrawer: false });
  expect(lastGoal(localStorage)).toBe("");
  first.setState({ drawer: false, ownDrawer: true, detail: emptyDetail("g1") });
  expect(open().getState()).toMatchObject({ drawer: false, ownDrawer: true });
  expect(lastGoal(localStorage)).toBe("g1");
});

test.each(["", "{", "null", '{"drawer":1}', '"yes"'])("%j is not a state of the drawers", (saved) => {
  localStorage.setItem("goalpost.drawers", saved);
  expect(open().getState()).toMatchObject({ drawer: true, ownDrawer: false });
});
