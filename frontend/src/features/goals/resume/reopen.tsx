import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";
import { NoteField, useNoteForm } from "./note";
import { exhaustedLimits, resumeInputFor, suggestedLimit } from "./limitvalues";
import { LimitError, LimitFields } from "./limits";

export function ReopenPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const full = exhaustedLimits(view);
  const [form, setForm] = useState(() => suggestedLimit(view));
  const limits = full ? resumeInputFor(form) : {};
  const note = useNoteForm(async (text) => limits !== null && app.goals.reopen(view.id, { ...limits, note: text }));
  if (!open) {
    return (
      <Button data-testid="goal-reopen" className="max-[640px]:h-11 max-[640px]:px-3.5" onClick={() => setOpen(true)}>
        Reopen…
      </Button>
    );
  }
  return (
    <PanelBox
      view={view}
      kind="reopen"
      title={`What is missing? The criterion is unchanged.${full ? " A limit is exhausted: raise it." : ""}`}
    >
      {full ? <LimitFields form={form} setForm={setForm} /> : null}
      <NoteField
        label="What is missing"
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
        <Button look="quiet" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </PanelBox>
  );
}
