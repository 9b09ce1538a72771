import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";
import { NoteField, useNoteForm } from "./note";
import { exhaustedLimits, resumeInputFor, suggestedLimit } from "./limitvalues";
import { LimitError, LimitFields } from "./limits";

type Reason = "addition" | "not_done";

const words: Record<Reason, { title: string; label: string }> = {
  addition: { title: "What is missing?", label: "What is missing" },
  not_done: {
    title: "What is not done? It counts in How well does it work, on this computer only.",
    label: "What is not done",
  },
};

/** Continues a goal that is done: because something is to be added, or because it is not done. */
export function ReopenPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [reason, setReason] = useState<Reason | null>(null);
  const full = exhaustedLimits(view);
  const [form, setForm] = useState(() => suggestedLimit(view));
  const limits = full ? resumeInputFor(form) : {};
  const isWrong = reason === "not_done";
  const note = useNoteForm(
    async (text) =>
      limits !== null && app.goals.reopen(view.id, { ...limits, note: text, ...(isWrong && { not_done: true }) }),
  );
  if (!reason) {
    const className = "max-[640px]:h-11 max-[640px]:px-3.5";
    return (
      <>
        <Button data-testid="goal-reopen" className={className} onClick={() => setReason("addition")}>
          Reopen…
        </Button>
        <Button look="quiet" data-testid="goal-not-done" className={className} onClick={() => setReason("not_done")}>
          This is not done…
        </Button>
      </>
    );
  }
  return (
    <PanelBox
      view={view}
      kind="reopen"
      title={`${words[reason].title} The criterion is unchanged.${full ? " A limit is exhausted: raise it." : ""}`}
    >
      {full ? <LimitFields form={form} setForm={setForm} /> : null}
      <NoteField
        label={words[reason].label}
        placeholder="The second page has no title yet"
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="mt-2 flex gap-2">
        <Button
          look="primary"
          data-testid="answer-send"
          disabled={note.busy || !note.text.trim() || !limits}
          onClick={note.run}
        >
          Reopen
        </Button>
        {limits ? null : <LimitError />}
        <Button look="quiet" onClick={() => setReason(null)}>
          Cancel
        </Button>
      </div>
    </PanelBox>
  );
}
