import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { useAppState } from "@/store/context";
import { all, find, get, mount, press, until } from "@/testing/mount";
import { WorktreesDialog } from "./dialog";

/** The dialog, with the confirmations that it asks for. */
function Screen() {
  const question = useAppState((s) => s.question);
  return (
    <>
      <WorktreesDialog />
      {question ? (
        <button data-testid="question-yes" onClick={() => void question.run()}>
          {`${question.title} ${question.text} ${question.yes}`}
        </button>
      ) : null}
    </>
  );
}

async function show(prepare?: (b: FakeBridge) => void) {
  const b = new FakeBridge({ finish: true });
  prepare?.(b);
  const { app, bridge } = await mount(<Screen />, b, (a) => a.start());
  app.set({ worktreesOpen: true });
  return { app, bridge };
}

const removals = (b: FakeBridge) => b.calls.filter((c) => c.method === "WorktreeAPI.Remove").map((c) => c.args);

test("worktrees are listed with goal, branch and what removing them would lose", async () => {
  const { app } = await show();
  await until(() => expect(all("worktree")).toHaveLength(3));
  expect(all("worktree-state").map((e) => e.textContent)).toEqual([
    "merged",
    "not merged",
    "not merged, 2 uncommitted files",
  ]);
  expect(all("worktree")[2]?.textContent).toContain("The goal was deleted");
  // A merged worktree has nothing to merge, and the worktree of a running goal is still needed.
  expect(all("worktree").map((row) => row.querySelector('[data-testid="worktree-merge"]') !== null)).toEqual([
    false,
    true,
    true,
  ]);
  expect(all("worktree-remove").map((b) => b.hasAttribute("disabled"))).toEqual([false, true, false]);
  await press("worktree-goal");
  expect(app.state.worktreesOpen).toBe(false);
  expect(app.state.detail.id).toBe("01m0done0000000000000000e5");
});

test("removing asks, and says when work would be lost; only then it is forced", async () => {
  const { bridge } = await show();
  await until(() => expect(all("worktree")).toHaveLength(3));
  await press("worktree-remove");
  expect(get("question-yes").textContent).toContain("Remove this worktree?");
  expect(removals(bridge)).toEqual([]);
  await press("question-yes");
  await until(() => expect(all("worktree")).toHaveLength(2));
  all("worktree-remove")[1]?.click();
  await until(() => expect(get("question-yes").textContent).toContain("not merged, 2 uncommitted files"));
  await press("question-yes");
  await until(() => expect(all("worktree")).toHaveLength(1));
  expect(removals(bridge).map(([, force]) => force)).toEqual([false, true]);
});

test("without worktrees the dialog says how to get one", async () => {
  await show((b) => {
    b.worktrees = [];
  });
  await until(() => expect(find("worktrees-empty")?.textContent).toContain("Work in a new git worktree"));
});
