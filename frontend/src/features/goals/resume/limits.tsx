import { useState } from "react";
import type { GoalView } from "@/bridge/types";
import { capitalize } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";
import { NoteField, useNoteForm } from "./note";
import { resumeInputFor, suggestedLimit, type LimitForm } from "./limitvalues";
import { Input } from "@/ui/input";

const limitFields: { name: keyof LimitForm; label: string }[] = [
  { name: "minutes", label: "Time, min" },
  { name: "iterations", label: "Turns" },
  { name: "tokens", label: "Tokens" },
  { name: "usd", label: "Money, $" },
];

export function LimitFields({ form, setForm }: { form: LimitForm; setForm: (form: LimitForm) => void }) {
  const ok = resumeInputFor(form) !== null;
  return (
    <div className="mt-2 grid grid-cols-4 gap-2">
      {limitFields.map((f) => (
        <label key={f.name} className="text-text-muted">
          {f.label}
          <Input
            data-testid={`raise-${f.name}`}
            inputMode="decimal"
            placeholder="no limit"
            aria-invalid={!ok}
            className="mt-0.5 text-xs"
            value={form[f.name]}
            onChange={(e) => setForm({ ...form, [f.name]: e.target.value })}
          />
        </label>
      ))}
    </div>
  );
}

export function LimitError() {
  return <span className="text-bad">Enter a number, or leave empty for no limit.</span>;
}

export function RaiseLimitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const [form, setForm] = useState(() => suggestedLimit(view));
  const note = useNoteForm(async (text) => {
    const input = resumeInputFor(form);
    return input ? app.goals.resume(view.id, { ...input, note: text }) : false;
  });
  const ok = resumeInputFor(form) !== null;
  return (
    <PanelBox view={view} kind="limit_reached" title={capitalize(view.reason)}>
      <LimitFields form={form} setForm={setForm} />
      <NoteField
        label="Note for the agent"
        placeholder="Optional note"
        value={note.text}
        onChange={note.setText}
        onSend={note.run}
      />
      <div className="mt-2 flex items-center gap-2">
        <Button look="primary" data-testid="answer-send" disabled={note.busy || !ok} onClick={note.run}>
          Raise and continue
        </Button>
        {ok ? null : <LimitError />}
      </div>
    </PanelBox>
  );
}
