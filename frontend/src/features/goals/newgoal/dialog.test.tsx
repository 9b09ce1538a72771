import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest } from "@/bridge/types";
import type { App } from "@/store/app";
import { all, choose, find, flushAll, get, mount, nth, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  localStorage.clear();
  ({ app, bridge } = await mount(<NewGoalDialog />, new FakeBridge({ empty: true }), (a) => a.toggleGoals()));
});

const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as GoalRequest | undefined;

test("what is missing is at its field, and nothing is asked of Go", async () => {
  expect(document.activeElement).toBe(get("field-objective"));
  await press("start-goal");
  expect(get("error-objective").textContent).toContain("true at the end");
  expect(get("error-criterion").textContent).toContain("Tick or add a check");
  expect(started()).toBeUndefined();
});

test("a refusal of Go is at the field that it names", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  await press("start-goal");
  expect(get("error-dir").textContent).toBe("no such folder · make it");
  expect(app.state.newGoal.open).toBe(true);
  write("field-dir", "/tmp");
  expect(find("error-dir")).toBeNull();
});

test("allowed hosts that open nothing at this risk are said", async () => {
  await press("more");
  expect(find("idle-hosts")).toBeNull();
  write("field-allowHosts", "docs.example a.example:8443");
  expect(get("idle-hosts").textContent).toContain("docs.example, a.example:8443 has no effect");
  await press("say-risk");
  await press("risk-network_get");
  expect(find("idle-hosts")).toBeNull();
});

test("a check that passes already is refused in words, and starts with one more click", async () => {
  write("field-objective", "keep it green");
  write("check-command", "true");
  await press("check-try");
  expect(get("try-result").dataset.outcome).toBe("passes_already");
  bridge.refusals.set("GoalAPI.Start", {
    code: "check_passes",
    message: "check 1 (true) passes already",
    hint: "write a check that fails until the goal is reached",
    field: "criterion",
  });
  await press("start-goal");
  expect(get("error-criterion").textContent).toContain("passes already · write a check that fails");
  bridge.refusals.clear();
  await press("start-anyway");
  expect(bridge.calls.filter((c) => c.method === "GoalAPI.Start").at(-1)?.args[0]).toMatchObject({
    objective: "keep it green",
    allow_passing: true,
    allow_missing: false,
    iterations: 300,
  });
  expect(app.state.newGoal.open).toBe(false);
  expect(app.state.detail.id).not.toBe("");
});

test("what is tried is shown at once, and a refusal brings the dialog back", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  await press("check-try");
  await press("check-add");
  write(nth(all("check-command"), 1), "make lint");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "no such folder", hint: "", field: "dir" });
  act(() => get("start-goal").click());
  expect(find("new-goal")).toBeNull();
  expect(app.state.starting).toEqual({
    objective: "make it green",
    checks: [
      { words: "make test", isTried: true },
      { words: "make lint", isTried: false },
    ],
  });
  await flushAll();
  expect(app.state.starting).toBeNull();
  expect(get("error-dir").textContent).toBe("no such folder");
  expect(all("check-row").length).toBe(2);
});

test("the options are found by their words", async () => {
  await press("more");
  const fields = () => all("options-group").flatMap((g) => [...g.querySelectorAll("[data-testid^=field-]")]);
  expect(fields().length).toBeGreaterThan(20);
  write("options-search", "critic");
  expect(fields().map((f) => (f as HTMLElement).dataset.testid)).toEqual(["field-criticEvery", "field-critic"]);
  write("options-search", "zebra");
  expect(get("options").textContent).toContain("No option matches “zebra”");
});

test("the model is chosen from a list, with another for while it is away, or typed", async () => {
  await act(() => app.providers.load());
  await press("say-model");
  await until(() => expect(all("model-choice").length).toBeGreaterThan(3));
  const value = () => (get("field-model") as HTMLInputElement).value;
  await press(nth(all("model-choice"), 1));
  const first = value();
  await press("model-fallback");
  await press(nth(all("model-choice"), 0));
  expect(value()).toBe(`${first}, ${value().split(", ")[1]}`);
  expect(get("allowed-words").textContent).toContain(", then ");
  write("field-model", "ollama/my-own");
  write("field-objective", "make it green");
  write("check-command", "make test");
  await press("start-goal");
  expect(started()).toMatchObject({ provider: "", model: "ollama/my-own" });
});

test("without a model, the way to one is the button", async () => {
  await act(() => app.providers.load());
  act(() => app.set({ providers: app.state.providers.filter((p) => p.scripted) }));
  expect(find("start-goal")).toBeNull();
  await press("connect-model");
  expect(app.state.connecting).toEqual({ preset: "" });
});

test("the draft survives closing, and goes when the goal has started", async () => {
  write("field-objective", "half a thought");
  act(() => app.closeNewGoal());
  expect(find("new-goal")).toBeNull();
  act(() => app.newGoal());
  expect((get("field-objective") as HTMLTextAreaElement).value).toBe("half a thought");
  expect((get("field-objective") as HTMLTextAreaElement).selectionStart, "the cursor is at the end").toBe(14);
  write("check-command", "make test");
  await act(async () => {
    get("field-objective").dispatchEvent(
      new KeyboardEvent("keydown", { code: "Enter", ctrlKey: true, bubbles: true, cancelable: true }),
    );
    await new Promise((r) => setTimeout(r));
  });
  expect(started()?.checks).toEqual([{ type: "shell", command: "make test", exit_code: 0 }]);
  expect(localStorage.getItem("goalpost.new-goal")).toBeNull();
});

test("numbers and lists keep their text while they are typed, and follow the draft", async () => {
  const value = (id: string) => (get(id) as HTMLInputElement).value;
  await press("say-limits");
  for (const text of ["5", "5.", "5.5"]) {
    write("field-usd", text);
    expect(value("field-usd")).toBe(text);
  }
  await press("more");
  for (const text of ["a.example", "a.example,", "a.example, ", "a.example, b.example"]) {
    write("field-allowHosts", text);
    expect(value("field-allowHosts")).toBe(text);
  }
  write("field-denyTools", " terminal\tbrowser_open,"); // pasted
  expect([value("field-iterations"), value("field-tokens")]).toEqual(["300", ""]);
  act(() => app.closeNewGoal());
  act(() => app.newGoal());
  await press("say-limits");
  expect([value("field-minutes"), value("field-usd")]).toEqual(["60", "5.5"]);
  expect(get("say-limits").textContent).toBe("at most 60 min, at most $5.50");
  await press("more");
  expect(value("field-allowHosts")).toBe("a.example b.example");
  expect(value("field-denyTools")).toBe("terminal browser_open");
  await press("draft-clear");
  expect([value("field-allowHosts"), value("field-denyTools")]).toEqual(["", ""]);
  write("field-objective", "make it green");
  write("check-command", "make test");
  write("field-tokens", "100,000");
  await press("say-limits");
  expect(value("field-usd")).toBe("");
  write("field-minutes", "");
  await press("start-goal");
  expect(started()).toMatchObject({ wall_clock_ms: -1, tokens: 100_000, usd: 0, allow_hosts: [] });
  expect(started()?.deny_tools ?? []).toEqual([]);
});

test("text that is no number stays, also in a saved draft, and is refused at its field", async () => {
  const value = (id: string) => (get(id) as HTMLInputElement).value;
  write("field-objective", "make it green");
  write("check-command", "make test");
  await press("say-limits");
  write("field-usd", "five");
  await press("more");
  write("field-tokens", "abc");
  write("field-criticEvery", "often");
  write("field-allowLocal", "5432 http");
  act(() => app.closeNewGoal());
  act(() => app.newGoal());
  expect(find("field-tokens")).toBeNull();
  await press("start-goal");
  expect(started()).toBeUndefined();
  expect(get("error-limits").textContent).toBe("Enter a number, 0 or more · leave it empty for no limit");
  expect(get("field-usd").getAttribute("aria-invalid")).toBe("true");
  write("field-usd", "");
  await press("start-goal");
  expect([value("field-tokens"), value("field-criticEvery"), value("field-allowLocal")]).toEqual([
    "abc",
    "often",
    "5432 http",
  ]);
  expect(get("error-tokens").textContent).toBe("Enter a number, 0 or more");
  expect(get("error-critic_every").textContent).toContain("Enter a number of turns");
  expect(get("error-allow_local").textContent).toContain("Enter port numbers");
  write("field-tokens", "1000");
  write("field-criticEvery", "0");
  write("field-allowLocal", "5432");
  await press("start-goal");
  expect(started()).toMatchObject({ tokens: 1000, critic_every: -1, allow_local: [5432] });
});

test("a saved draft of another shape does not break the dialog", async () => {
  act(() => app.closeNewGoal());
  localStorage.setItem("goalpost.new-goal", JSON.stringify({ objective: "x", allow_tools: "terminal", persona: 3 }));
  act(() => app.newGoal());
  await press("more");
  expect((get("field-allowTools") as HTMLInputElement).value).toBe("");
  expect((get("field-objective") as HTMLTextAreaElement).value).toBe("x");
});

test("hostile words are shown as text", async () => {
  write("field-objective", "x");
  write("check-command", "y");
  const message = "<img src=x onerror=alert(1)>";
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message, hint: "", field: "" });
  await press("start-goal");
  expect(get("error-form").textContent).toContain(message);
  expect(document.querySelector("img")).toBeNull();
});

test("a folder's criterion shows its meaning and the hosts of its checks before it is used", async () => {
  write("field-dir", "/home/ada/shop");
  await until(() => get("proposal-open")); // Go is asked a little after the last key
  expect(get("instructions").textContent).toBe("Reads AGENTS.md, 3.1 kB");
  await press("proposal-open");
  expect(get("proposal-words").textContent).toContain("Done when the command `npm test`");
  expect(get("proposal-hosts").textContent).toContain("can contact shop.example");
  await press("proposal-take");
  write("field-objective", "fill the cart");
  await press("start-goal");
  expect(started()).toMatchObject({ checks: [{ command: "npm test" }, { url: "https://shop.example/" }] });
});

test("what the agent may change is sent, and said with what a pattern means", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  expect(find("work-words")).toBeNull();
  await press("say-risk");
  write("field-work", "src/**/*.py, notes.md");
  expect(get("work-rounded").textContent).toContain("src/**/*.py means all of src/");
  expect(get("work-words").textContent).toContain("only src/, notes.md can be changed; everything else is read-only");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "src does not exist", hint: "", field: "work" });
  await press("start-goal");
  expect(get("error-work").textContent).toContain("src does not exist");
  write("field-work", "notes.md");
  expect(find("work-rounded")).toBeNull();
  expect(find("error-work")).toBeNull();
  bridge.refusals.clear();
  await press("start-goal");
  expect(started()?.work).toEqual(["src/**/*.py", "notes.md"]);
  expect(bridge.calls.filter((c) => c.method === "GoalAPI.Start").at(-1)?.args[0]).toMatchObject({
    work: ["notes.md"],
    check_dir: "",
    run_outside: false,
  });
});

test("a folder that only the checks read is sent with what the agent sees of a failure", async () => {
  write("field-objective", "make it green");
  write("check-command", "pytest $GOALPOST_CHECK_DIR");
  await press("more");
  expect(get("field-checkOutput").textContent).toContain("whole output (default)");
  write("field-checkDir", "/home/ada/hidden");
  expect(get("field-checkOutput").textContent).toContain("exit code (default)");
  await press("check-try");
  expect(bridge.calls.find((c) => c.method === "GoalAPI.Try")?.args[0]).toMatchObject({
    check_dir: "/home/ada/hidden",
  });
  await press("start-goal");
  expect(started()).toMatchObject({ check_dir: "/home/ada/hidden" });
});

test("a check outside the sandbox needs an explicit tick", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  await press("more");
  expect(find("run-outside")).toBeNull();
  choose("field-where", "host");
  await press("start-goal");
  expect(get("error-run_outside").textContent).toContain("Confirm");
  expect(started()).toBeUndefined();
  await press("run-outside");
  await press("start-goal");
  expect(started()).toMatchObject({ run_outside: true });
  expect(started()?.checks?.[0]?.where).toBe("host");
});

test("a tried check shows what decides, what it looked for in vain and the rest, and limits the agent with one click", async () => {
  write("field-objective", "make it green");
  write("check-command", "npm test");
  await press("check-try");
  expect(get("try-result").dataset.outcome).toBe("fails_now");
  expect(get("try-output").textContent).toContain("1 test failed");
  expect(get("trace-stopped").textContent).toContain("./coupon is missing");
  expect(get("trace-decides").textContent).toContain("Decides, and is protected: 2 files");
  expect(get("trace-decides").textContent).toContain("test/cart.test.js");
  expect(get("trace-missing").textContent).toBe("Looked for but not found: 212 files");
  await press("trace-missing-open");
  expect(get("trace-missing").textContent).toContain("jest.config.js");
  expect(get("trace-missing").textContent).toContain("and 211 more");
  expect(get("trace-read").textContent).toBe("Also read: 2 files");
  await press("trace-read-open");
  expect(get("trace-read").textContent).toContain("src/price.js");
  expect(find("trace-written")).toBeNull();

  await press("trace-work-take");
  await press("say-risk");
  expect((get("field-work") as HTMLInputElement).value).toBe("src/");
  expect(get("work-words").textContent).toContain("only src/ can be changed");
  await press("trace-work-take");
  expect((get("field-work") as HTMLInputElement).value).toBe("");
  await press("trace-work-take");
  await press("start-goal");
  expect(started()?.work).toEqual(["src/"]);
});

test("a flaky check says so with both outputs, and its names are shown as text", async () => {
  bridge.tryOutput = {
    outcome: "error",
    detail: "flaky: on the same files it failed in one run and passed in the next",
    output: "run 1 (exit 1):\nno\n\nrun 2 (exit 0):\nyes",
    exit_code: 1,
    ms: 8,
    trace: {
      decides: { files: [{ path: "<b>x</b>", why: "", by: "" }], total: 1 },
      missing: { files: [], total: 0 },
      read: { files: [], total: 0 },
      written: { files: [], total: 0 },
      incomplete: "too many files",
    },
  };
  write("check-command", "sh flaky.sh");
  await press("check-try");
  expect(get("try-result").textContent).toContain("Gives different results");
  expect(get("try-output").textContent).toContain("run 2 (exit 0)");
  expect(get("trace-incomplete").textContent).toContain("too many files");
  expect(get("trace-decides-file").textContent).toBe("<b>x</b>");
  expect(find("trace-work")).toBeNull();
});

test("a git worktree is offered in a repository, and says what is not in it", async () => {
  write("field-objective", "repair the cart");
  write("check-command", "make test");
  write("field-dir", "/tmp/elsewhere");
  write("field-dir", "/home/ada/shop");
  await until(() => get("field-worktree"));
  expect(find("worktree-details")).toBeNull();
  await press("field-worktree");
  expect(get("worktree-details").textContent).toContain("goalpost/repair-the-cart");
  expect(get("worktree-uncommitted").textContent).toContain("2 files");
  await press("start-goal");
  expect(started()).toMatchObject({ new_worktree: true, dir: "/home/ada/shop" });
});

test("an external agent is chosen as the engine, but not without a sandbox", async () => {
  write("field-objective", "repair the cart");
  write("check-command", "make test");
  await press("say-model");
  const choice = (id: string) => get(`engine-${id}`).querySelector("input") as HTMLInputElement;
  expect(choice("model").checked).toBe(true);
  await press("more");
  await press("field-unconfined");
  await press("say-model");
  expect(choice("opencode").disabled).toBe(true);
  expect(get("engine-opencode").title).toContain("only in the sandbox");
  await press("more");
  await press("field-unconfined");
  await press("say-model");
  act(() => choice("opencode").click());
  expect(get("engine-note").textContent).toContain("inside the goal's sandbox");
  await press("start-goal");
  expect(started()).toMatchObject({ engine: "opencode" });
});

test("an agent uses its own sign-in only if the user says so, who reads what is lost and how to sign in", async () => {
  write("field-objective", "repair the cart");
  write("check-command", "make test");
  await press("say-model");
  expect(find("field-engine-login")).toBeNull();
  act(() => (get("engine-opencode").querySelector("input") as HTMLInputElement).click());
  expect(find("engine-login-lost")).toBeNull();
  await press("field-engine-login");
  expect(get("engine-login-lost").textContent).toContain("does not count");
  expect(get("error-engine_login").textContent).toContain("no sign-in on this computer");
  await press("start-goal");
  expect(started()).toMatchObject({ engine: "opencode", engine_login: true });
});

test("the command that signs in is typed in a terminal, and the draft stays", async () => {
  write("field-objective", "repair the cart");
  await press("say-model");
  act(() => (get("engine-opencode").querySelector("input") as HTMLInputElement).click());
  await press("field-engine-login");
  await press("engine-sign-in");
  const opened = bridge.calls.find((c) => c.method === "TerminalAPI.Open");
  expect(opened?.args[0]).toMatchObject({ command: "opencode auth login" });
  expect(app.state.newGoal.open).toBe(false);
});
