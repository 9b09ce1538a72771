import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";
import { NoteField, useNoteForm } from "./note";

export function ManualCheckPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [back, setBack] = useState(false);
  const note = useNoteForm((text) => app.goals.reject(view.id, text));
  const check = (view.criterion ?? []).find((c) => c.type === "manual" && c.wait);
  return (
    <PanelBox view={view} kind="waits" title={check?.note ? `Check: ${check.note}` : "Check the result and decide"}>
      {back ? (
        <NoteField
          label="What is wrong"
          placeholder="What should be different?"
          value={note.text}
          onChange={note.setText}
          onSend={note.run}
        />
      ) : null}
      <div className="mt-2 flex gap-2">
        {back ? (
          <>
            <Button
              look="primary"
              data-testid="answer-reject"
              disabled={note.busy || !note.text.trim()}
              onClick={note.run}
            >
              Send back
            </Button>
            <Button look="quiet" onClick={() => setBack(false)}>
              Cancel
            </Button>
          </>
        ) : (
          <>
            <Button look="primary" data-testid="answer-accept" onClick={() => void app.goals.accept(view.id)}>
              Accept
            </Button>
            <Button data-testid="answer-back" onClick={() => setBack(true)}>
              Send back…
            </Button>
            {check ? null : ( // no model gave an answer that could be read
              <Button look="quiet" data-testid="answer-again" onClick={() => void app.goals.resume(view.id)}>
                Ask the model again
              </Button>
            )}
          </>
        )}
      </div>
    </PanelBox>
  );
}
