import type { WorktreeView } from "@/bridge/types";

const repository = "/home/ada/shop";

/** Worktrees of goals: one merged, one with work, one of a deleted goal. */
export const worktrees: WorktreeView[] = [
  {
    path: "/home/ada/.local/share/goalpost/work/worktrees/release-notes-for-2-3",
    repository,
    branch: "goalpost/release-notes-for-2-3",
    goal_id: "01m0done0000000000000000e5",
    objective: "Release notes for 2.3",
    uncommitted: 0,
    merged: true,
    problem: "",
    merge_command: `git -C ${repository} merge goalpost/release-notes-for-2-3`,
  },
  {
    path: "/home/ada/.local/share/goalpost/work/worktrees/bring-the-flaky-suite-to-green",
    repository,
    branch: "goalpost/bring-the-flaky-suite-to-green",
    goal_id: "01m0running00000000000000a1",
    objective: "Turn the shop's cart red until the tests say otherwise",
    uncommitted: 0,
    merged: false,
    problem: "",
    merge_command: `git -C ${repository} merge goalpost/bring-the-flaky-suite-to-green`,
  },
  {
    path: "/home/ada/.local/share/goalpost/work/worktrees/translate-the-checkout",
    repository,
    branch: "goalpost/translate-the-checkout",
    goal_id: "",
    objective: "",
    uncommitted: 2,
    merged: false,
    problem: "",
    merge_command: `git -C ${repository} merge goalpost/translate-the-checkout`,
  },
];
