import type { ApprovalView, GrantView } from "@/bridge/types";

/** What waits for the person in the gallery: a command, a file, a form. */
export const approvals: ApprovalView[] = [
  {
    goal_id: "01m0running00000000000000a1",
    objective: "Turn the shop's cart red until the tests say otherwise",
    status: "running",
    request: "a1",
    at: "2026-11-21T08:28:11.000Z",
    step: 9,
    tool: "run_command",
    arguments: JSON.stringify({ command: "git push --force origin main", timeout_seconds: 60 }),
    risk: "write_local",
    hosts: [],
    paths: [],
    show: "",
    why: "git push --force: it rewrites or deletes what others may have fetched",
    always: true,
    offers: [{ scope: "once", covers: "this call of run_command, once" }],
    given: "",
  },
  {
    goal_id: "01m0running00000000000000a1",
    objective: "Turn the shop's cart red until the tests say otherwise",
    status: "running",
    request: "a2",
    at: "2026-11-21T08:28:40.000Z",
    step: 10,
    tool: "browser_click",
    arguments: JSON.stringify({ pane: "b1", target: "Send order" }),
    risk: "network_write",
    hosts: ["shop.example"],
    paths: [],
    show: "POST https://shop.example/order\nname = Ada\nitems = 2\ncard = ••••",
    why: "browser_click is network_write (sends a form to shop.example), and this goal may do at most write_local",
    always: false,
    offers: [
      { scope: "once", covers: "this call of browser_click, once" },
      { scope: "host", covers: "for this goal: everything up to network_write on shop.example" },
    ],
    given: "",
  },
  {
    goal_id: "01m0paused000000000000000b2",
    objective: "Write down how the release is made",
    status: "paused",
    request: "a1",
    at: "2026-11-21T07:58:02.000Z",
    step: 3,
    tool: "edit_file",
    arguments: JSON.stringify({ path: "RELEASE.md", old: "make dist", new: "make dist-signed" }),
    risk: "write_local",
    hosts: [],
    paths: ["/home/ada/shop/RELEASE.md"],
    show: "--- RELEASE.md\n+++ RELEASE.md\n-make dist\n+make dist-signed",
    why: "edit_file is write_local, and this goal may do at most read_only",
    always: false,
    offers: [
      { scope: "once", covers: "this call of edit_file, once" },
      { scope: "path", covers: "for this goal: writing /home/ada/shop/RELEASE.md" },
    ],
    given: "",
  },
];

export const grants: GrantView[] = [
  {
    goal_id: "01m0running00000000000000a1",
    request: "a0",
    scope: "host",
    covers: "for this goal: everything up to network_get on registry.example",
  },
];
