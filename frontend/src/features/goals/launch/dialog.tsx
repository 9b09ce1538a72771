import { useEffect, useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import { focusedFolder } from "@/features/goals/newgoal/usefirstfolder";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import type { LaunchRow } from "@/store/launch";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { Input } from "@/ui/input";
import { isBlank, missing, newRow, pastedRows, requestOf } from "./rows";

/** Starts different goals at once, from a list. */
export function LaunchDialog() {
  const open = useAppState((s) => s.launchOpen);
  return open ? <OpenDialog /> : null;
}

function OpenDialog() {
  const app = useApp();
  const form = useLaunch();
  const filled = form.rows.filter((r) => !isBlank(r)).length;
  const close = () => app.set({ launchOpen: false });
  return (
    <Dialog
      open
      onClose={close}
      title="Launch several goals"
      testid="launch"
      help="how-to/goals"
      className="w-[980px]"
      description="Starts different goals at once, from a list"
      onKeyDown={(e) => {
        if (e.code !== "Enter" || !(e.ctrlKey || e.metaKey) || e.shiftKey || filled === 0 || form.busy) return;
        e.preventDefault();
        void form.start();
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">
            Each gets the usual permissions, model and limits of New goal. Those that cannot run at once wait in the
            queue.
          </span>
          <Button data-testid="launch-cancel" onClick={close}>
            Close
          </Button>
          <Button
            look="primary"
            data-testid="launch-start"
            disabled={filled === 0 || form.busy}
            onClick={() => void form.start()}
          >
            {form.busy ? "Starting…" : filled < 2 ? "Start" : `Start ${plural(filled, "goal")}`}{" "}
            <Kbd onAccent>Ctrl+Enter</Kbd>
          </Button>
        </>
      }
    >
      <p className="mb-3 text-xs text-text-muted">
        Write a goal in each row, or paste a list: a line for each goal, or three columns of a table.
      </p>
      <div aria-hidden className={`${columns} mb-1 text-xs text-text-faint max-[900px]:hidden`}>
        <span>What is to be done</span>
        <span>Done when this command exits with 0</span>
        <span>Folder</span>
        <span className="invisible px-2.5">Remove</span>
      </div>
      <ol className="flex flex-col gap-2">
        {form.rows.map((row, i) => (
          <Row key={row.id} row={row} n={i + 1} form={form} />
        ))}
      </ol>
      <Button look="quiet" data-testid="launch-add" className="mt-2" onClick={form.add}>
        Add a goal
      </Button>
    </Dialog>
  );
}

type LaunchForm = ReturnType<typeof useLaunch>;

/** The rows of the dialog, which stay when it is closed. Those that have started leave the list. */
function useLaunch() {
  const app = useApp();
  const rows = useAppState((s) => s.launchRows);
  const [busy, setBusy] = useState(false);
  const first = useRef("");
  const put = (next: (rows: LaunchRow[]) => LaunchRow[]) => app.set({ launchRows: next(app.state.launchRows) });
  const change = (id: number, part: Partial<LaunchRow>) =>
    put((all) => all.map((r) => (r.id === id ? { ...r, ...part } : r)));

  useEffect(() => {
    if (app.state.launchRows.length === 0) app.set({ launchRows: [newRow(), newRow()] });
    let isStale = false;
    app.bridge
      .call("GoalAPI.Folders", focusedFolder(app.state))
      .then((offer) => {
        const dir = offer.dir || (offer.recent?.[0] ?? "");
        if (isStale || !dir) return;
        first.current = dir;
        app.set({ launchRows: app.state.launchRows.map((r) => (r.dir === "" ? { ...r, dir } : r)) });
      })
      .catch(() => undefined); // the fields then stay empty
    return () => {
      isStale = true;
    };
  }, [app]);

  const startOne = async (row: LaunchRow) => {
    change(row.id, { isStarting: true, error: "" });
    try {
      const { goal_id } = await app.bridge.call("GoalAPI.Start", requestOf(row));
      app.workspaces.addGoal(goal_id);
      put((all) => all.filter((r) => r.id !== row.id));
    } catch (reason) {
      const { message, hint } = asProblem(reason);
      change(row.id, { isStarting: false, error: hint ? `${message} · ${hint}` : message });
    }
  };

  const start = async () => {
    const wanted = app.state.launchRows.filter((r) => !isBlank(r));
    for (const r of wanted) change(r.id, { error: missing(r) });
    if (wanted.some((r) => missing(r) !== "")) return;
    setBusy(true);
    await Promise.all(wanted.map(startOne));
    setBusy(false);
    // What did not start stays with the reason, and what was added in the meantime.
    if (app.state.launchRows.some((r) => !isBlank(r))) return;
    app.set({ launchOpen: false, launchRows: [] });
    app.showGoals();
  };

  return {
    rows,
    busy,
    change,
    start,
    add: () => put((all) => [...all, newRow({ dir: all.at(-1)?.dir ?? first.current })]),
    remove: (id: number) => put((all) => (all.length > 1 ? all.filter((r) => r.id !== id) : [newRow()])),
    /** Replaces a row by the lines of a list. */
    paste: (row: LaunchRow, text: string) =>
      put((all) => all.flatMap((r) => (r.id === row.id ? pastedRows(text, row.dir || first.current) : [r]))),
  };
}

const columns = "grid grid-cols-[1fr_1fr_0.8fr_auto] gap-2 max-[900px]:grid-cols-1";

function Row({ row, n, form }: { row: LaunchRow; n: number; form: LaunchForm }) {
  const bad = row.error !== "";
  return (
    <li data-testid="launch-row" className="border-b border-border pb-2">
      <div className={`${columns} items-center`}>
        <Input
          aria-label={`Goal ${n}: what is to be done`}
          aria-invalid={bad}
          data-testid="launch-objective"
          placeholder="What is to be done"
          value={row.objective}
          disabled={row.isStarting}
          onChange={(e) => form.change(row.id, { objective: e.target.value, error: "" })}
          onPaste={(e) => {
            const text = e.clipboardData.getData("text/plain");
            if (row.objective !== "" || !/[\n\t]/.test(text.trim())) return;
            e.preventDefault();
            form.paste(row, text);
          }}
        />
        <Input
          aria-label={`Goal ${n}: done when this command exits with 0`}
          data-testid="launch-command"
          className="font-mono"
          placeholder="Done when this command exits with 0"
          value={row.command}
          disabled={row.isStarting}
          onChange={(e) => form.change(row.id, { command: e.target.value, error: "" })}
        />
        <Input
          aria-label={`Goal ${n}: folder`}
          data-testid="launch-dir"
          className="font-mono"
          placeholder="Folder"
          value={row.dir}
          disabled={row.isStarting}
          onChange={(e) => form.change(row.id, { dir: e.target.value, error: "" })}
        />
        <Button
          look="quiet"
          data-testid="launch-remove"
          aria-label={`Remove goal ${n}`}
          disabled={row.isStarting}
          onClick={() => form.remove(row.id)}
        >
          Remove
        </Button>
      </div>
      {bad || row.isStarting ? (
        <p
          role={bad ? "alert" : "status"}
          data-testid="launch-note"
          className={cx("mt-1 text-xs", bad ? "text-bad" : "text-text-muted")}
        >
          {bad ? row.error : "Starting: its check is tried first…"}
        </p>
      ) : null}
    </li>
  );
}
