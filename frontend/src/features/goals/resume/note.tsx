import { useState } from "react";
import { TextArea } from "@/ui/input";

interface NoteProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  onSend: () => void;
}

export function NoteField({ label, placeholder, value, onChange, onSend }: NoteProps) {
  return (
    <TextArea
      data-testid="answer-text"
      aria-label={label}
      rows={2}
      className="mt-2 resize-y text-xs"
      placeholder={placeholder}
      value={value}
      onChange={(e) => onChange(e.target.value)}
      onKeyDown={(e) => {
        if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) onSend();
      }}
    />
  );
}

/** Stores the draft of a note, at first `first`, and whether it is being sent; a sent note is cleared. */
export function useNoteForm(send: (text: string) => Promise<boolean>, first = "") {
  const [text, setText] = useState(first);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (busy) return;
    setBusy(true);
    const ok = await send(text.trim());
    setBusy(false);
    if (ok) setText("");
  };
  return { text, setText, busy, run: () => void run() };
}
