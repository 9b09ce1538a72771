import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { PanelBox } from "./box";
import { NoteField, useNoteForm } from "./note";
import { exhaustedLimits, resumeInputFor, suggestedLimit } from "./limitvalues";
import { LimitError, LimitFields } from "./limits";

/** The user's decision about a doubted pass: send it back with a note, or accept it. */
export function DecidePanel({ view }: { view: GoalView }) {
  const app = useApp();
  const full = exhaustedLimits(view);
  const [form, setForm] = useState(() => suggestedLimit(view));
  const limits = full ? resumeInputFor(form) : {};
  const note = useNoteForm(
    async (text) => limits !== null && app.goals.reopen(view.id, { ...limits, note: text }),
    view.reopen_note ?? "",
  );
  return (
    <PanelBox
      view={view}
      kind="decide"
      quiet
      title={`You decide. Accept the pass, or the agent continues with your note.${full ? " A limit is exhausted: raise it." : ""}`}
    >
      {full ? <LimitFields form={form} setForm={setForm} /> : null}
      <NoteField
        label="Note for the agent"
        placeholder="What should be different?"
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="@container mt-2 flex flex-wrap items-center gap-2">
        <Button
          look="primary"
          data-testid="decide-reopen"
          className="max-[640px]:h-9"
          disabled={note.busy || !note.text.trim() || !limits}
          onClick={note.run}
        >
          Reopen with this note
          <span className="@max-[420px]:hidden">
            <Kbd onAccent>Ctrl+Enter</Kbd>
          </span>
        </Button>
        <Button data-testid="decide-accept" className="max-[640px]:h-9" onClick={() => void app.goals.accept(view.id)}>
          Accept
        </Button>
        <Button
          look="quiet"
          data-testid="decide-diff"
          className="max-[640px]:h-9"
          onClick={() => app.openGoal(view.id, "changes")}
        >
          Show the diff
        </Button>
        {limits ? null : <LimitError />}
        <span className="text-text-faint max-[640px]:hidden">
          Accepting is written to the receipt as “Accepted by you”
        </span>
      </div>
    </PanelBox>
  );
}
