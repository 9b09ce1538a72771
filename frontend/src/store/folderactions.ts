import type { ChangesView, CommitOffer, GoalView, UndoInput, UndoOutput } from "@/bridge/types";
import { plural } from "@/lib/text";
import type { AppCore } from "./core";

export const undoInput = (part: Partial<UndoInput>): UndoInput => ({
  paths: [],
  force: [],
  step: 0,
  redo: false,
  dry_run: false,
  ...part,
});

/** What the folder of a stopped goal differs in from the goal's start. */
export interface FolderInfo {
  id: string;
  changes: ChangesView;
  /** null: it cannot be committed. */
  offer: CommitOffer | null;
}

/** What a goal's checks say when they run again; the words are "" while they run. */
export interface Recheck {
  busy: boolean;
  words: string;
}

/** Undoes, redoes and checks again what goals changed in their folders. */
export class FolderActions {
  /** The goals whose checks run again, and whether one more run is asked for. */
  private readonly running = new Map<string, boolean>();

  /** The goal that was compared last, with the seq of its journal. */
  private compared = "";

  constructor(private readonly core: AppCore) {}

  /** Compares the folder of a goal, once for each state of its journal. */
  async load(id: string, seq: number): Promise<void> {
    const key = `${id} ${seq}`;
    if (this.compared === key) return;
    this.compared = key;
    const changes = await this.core.bridge.call("ChangesAPI.List", id, []).catch(() => null);
    const offer = changes && (await this.core.bridge.call("ChangesAPI.CommitOffer", id).catch(() => null));
    if (this.compared !== key) return; // it is of an older state
    this.core.set({ folder: changes && { id, changes, offer } });
  }

  /** Undoes or redoes changes, and then runs the checks of a done goal again. Returns null if Go refused. */
  async undo(view: GoalView, input: UndoInput): Promise<UndoOutput | null> {
    const out = await this.core.ask("ChangesAPI.Undo", view.id, input);
    if (!out || input.dry_run) return out ?? null;
    const files = plural((out.done ?? []).length, "file");
    if (input.redo) this.core.notices.done(`${files} put back`);
    else {
      this.core.notices.done(
        `${files} restored to ${out.to}`,
        out.can_redo ? { label: "Put back", run: () => void this.undo(view, undoInput({ redo: true })) } : undefined,
      );
    }
    if (view.status === "completed") this.recheck(view.id);
    return out;
  }

  /** Runs the checks of a goal again, one run at a time. Requests during a run lead to one more run. */
  recheck(id: string): void {
    const isRunning = this.running.has(id);
    this.running.set(id, isRunning);
    if (!isRunning) void this.runChecks(id);
  }

  private async runChecks(id: string): Promise<void> {
    this.show(id, { busy: true, words: "" });
    const out = await this.core.ask("GoalAPI.Recheck", id);
    if (this.running.get(id)) {
      this.running.set(id, false);
      return this.runChecks(id);
    }
    this.running.delete(id);
    this.show(id, { busy: false, words: out ? recheckWords(out) : "" });
  }

  private show(id: string, recheck: Recheck): void {
    this.core.set({ rechecks: { ...this.core.state.rechecks, [id]: recheck } });
  }
}

function recheckWords({ passed, open }: { passed: boolean; open: boolean }): string {
  if (passed) return "The checks pass.";
  return open ? "The checks cannot be run again." : "The checks fail now.";
}
