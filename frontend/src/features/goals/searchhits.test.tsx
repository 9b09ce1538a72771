import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { SearchHit, SearchOutput, SearchedGoal } from "@/bridge/types";
import { act } from "@/testing/act";
import { all, find, flushAll, get, mount, press, until, write } from "@/testing/mount";
import { useGoalSearch } from "./search";
import { SearchHits } from "./searchhits";

const one = "01m0running00000000000000a1";
const other = "01m0done0000000000000000e5";

function Page() {
  const search = useGoalSearch();
  return (
    <>
      <input data-testid="words" value={search.text} onChange={(e) => search.setText(e.target.value)} />
      <SearchHits search={search} />
    </>
  );
}

const hit = (place: SearchHit["place"], step: number, ...parts: string[]): SearchHit => ({
  place,
  seq: 7,
  step,
  parts: parts.map((text, i) => (i === 1 ? { text, found: true } : { text })),
});

const goal = (id: string, total: number, ...hits: SearchHit[]): SearchedGoal => ({
  id,
  objective: `the objective of ${id}`,
  status: "completed",
  exit: "done",
  hits,
  total,
});

const found = (...goals: SearchedGoal[]): SearchOutput => ({ goals, total: goals.length });

/** A bridge whose searches wait until a test answers them. */
class HeldBridge extends FakeBridge {
  readonly searches: { words: string; answer: (out: SearchOutput) => Promise<void>; fail: () => Promise<void> }[] = [];

  constructor() {
    super();
    const call = this.call as (method: string, ...args: unknown[]) => Promise<unknown>;
    const held = (method: string, ...args: unknown[]) => {
      if (method !== "GoalAPI.Search") return call(method, ...args);
      return new Promise((resolve, reject) => {
        const settle = (how: () => void) => {
          act(how);
          return flushAll();
        };
        this.searches.push({
          words: (args[0] as { words: string }).words,
          answer: (out) => settle(() => resolve(out)),
          fail: () =>
            settle(() => reject(new Error('{"code":"internal","message":"the disk is full","hint":"free it"}'))),
        });
      });
    };
    Object.assign(this, { call: held });
  }

  /** The newest search, once it has these words. */
  async search(words: string) {
    return until(() => {
      const last = this.searches.at(-1);
      expect(last?.words).toBe(words);
      if (!last) throw new Error("nothing was searched");
      return last;
    });
  }
}

async function open() {
  const bridge = new HeldBridge();
  const { app } = await mount(<Page />, bridge, (a) => a.start());
  await until(() => expect(app.state.goals.loaded).toBe(true));
  return { app, bridge };
}

const lines = () => all("search-hit").map((l) => `${l.dataset.goal} ${l.textContent}`);

test("hits are shown in context with their words marked, and a click shows the place", async () => {
  const { app, bridge } = await open();
  write("words", "cart");
  const asked = await bridge.search("cart");
  await asked.answer(
    found(
      goal(one, 8, hit("ran", 3, "go test ./", "cart", " -run Sum"), hit("said", 0, "the ", "cart", " fails")),
      goal(other, 1, hit("report", 9, "Changed ", "cart", ".go")),
    ),
  );
  expect(lines()).toEqual([
    `${one} ran · step 3go test ./cart -run Sum`,
    `${one} saidthe cart fails`,
    `${other} reportChanged cart.go`,
  ]);
  expect([...document.querySelectorAll("mark")].map((m) => m.textContent)).toEqual(["cart", "cart", "cart"]);
  expect(get("search-hits-more").textContent).toBe("and 6 more");
  expect(get("search-hits-total").textContent).toBe("2 goals");

  await press(all("search-hit")[0] as HTMLElement);
  expect([app.state.openedGoal, app.state.goalTab, app.state.shownStep]).toEqual([one, "log", 3]);
  await press(all("search-hit")[1] as HTMLElement);
  expect([app.state.openedGoal, app.state.goalTab, app.state.shownStep]).toEqual([one, "transcript", 0]);
  await press("search-hits-more");
  expect([app.state.openedGoal, app.state.goalTab]).toEqual([one, "transcript"]);
  await press(all("search-hit")[2] as HTMLElement);
  expect([app.state.openedGoal, app.state.goalTab, app.state.shownStep]).toEqual([other, "log", 0]);
});

test("an answer to former words never replaces a newer one", async () => {
  const { bridge } = await open();
  write("words", "first");
  const first = await bridge.search("first");
  write("words", "second");
  const second = await bridge.search("second");
  await second.answer(found(goal(one, 1, hit("said", 1, "the ", "second"))));
  await first.answer(found(goal(one, 1, hit("said", 1, "the ", "first"))));
  expect(lines()).toEqual([`${one} said · step 1the second`]);
  write("words", "");
  await until(() => expect(find("search-hits")).toBeNull());
});

test("an objective that the list shows is left out, and what hostile texts hide is shown", async () => {
  const { app, bridge } = await open();
  const card = app.state.goals.byId[one]?.card;
  write("words", card?.objective ?? "");
  const asked = await bridge.search(card?.objective ?? "");
  await until(() => expect(bridge.calls.some((c) => c.method === "GoalAPI.List" && c.args.length > 0)).toBe(true));
  await flushAll();
  await asked.answer(
    found(
      goal(one, 2, hit("objective", 0, "its ", "objective"), hit("note", 0, "<b>", "x\u202ey", "</b>")),
      goal(other, 1, hit("objective", 0, "not ", "listed")),
    ),
  );
  await until(() => expect(lines()).toEqual([`${one} note<b>x‹U+202E›y</b>`, `${other} objectivenot listed`]));
});

test("the arrow keys move through the hits, which are one Tab stop", async () => {
  const { bridge } = await open();
  write("words", "cart");
  await (
    await bridge.search("cart")
  ).answer(found(goal(one, 5, hit("ran", 3, "a ", "cart"), hit("said", 4, "b ", "cart"))));
  const stops = () =>
    all("search-hit")
      .concat(all("search-hits-more"))
      .map((l) => l.tabIndex);
  expect(stops()).toEqual([0, -1, -1]);
  act(() => all("search-hit")[0]?.focus());
  const down = () => {
    const from = document.activeElement;
    act(() => void from?.dispatchEvent(new KeyboardEvent("keydown", { code: "ArrowDown", bubbles: true })));
  };
  down();
  expect(document.activeElement).toBe(all("search-hit")[1]);
  down();
  expect(document.activeElement).toBe(get("search-hits-more"));
  expect(stops()).toEqual([-1, -1, 0]);
});

test("it says when nothing is found, when more will be, and what went wrong", async () => {
  const { bridge } = await open();
  write("words", "cart");
  await (await bridge.search("cart")).answer({ goals: [], total: 0, behind: 1200 });
  expect(get("search-hits-total").textContent).toBe("Nothing found so far: 1200 events still to read");
  await until(() => expect(bridge.searches).toHaveLength(2));
  await bridge.searches[1]?.answer({ goals: [], total: 0 });
  expect(get("search-hits-total").textContent).toBe("Nothing found");
  write("words", "carts");
  await (await bridge.search("carts")).fail();
  expect(get("search-hits-problem").textContent).toBe("The disk is full: free it");
  write("words", "c");
  await until(() => expect(find("search-hits")).toBeNull());
});
