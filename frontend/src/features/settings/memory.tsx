import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { MemoryNote, Problem } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input, TextArea } from "@/ui/input";

type Edit = Pick<MemoryNote, "id" | "dir" | "text">;

/** What agents and the user noted about folders: it is edited and deleted here, and read by later goals and chats. */
export function Memory() {
  const app = useApp();
  const { answer, reload } = useAnswer("MemoryAPI.List", "");
  const recent = useAnswer("GoalAPI.Folders", "").answer?.recent?.[0] ?? "";
  const [edit, setEdit] = useState<Edit | null>(null);
  const notes = answer ?? [];
  const remove = async (note: MemoryNote) => {
    if (!(await app.ask("MemoryAPI.Delete", note.id))) return;
    await reload();
    app.notices.done("The note is deleted", {
      label: "Undo",
      run: () => void app.ask("MemoryAPI.Add", note.dir, note.text).then(reload),
    });
  };
  return (
    <section aria-label="Memory" data-testid="memory">
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Memory
        </Caption>
        <Button data-testid="new-note" onClick={() => setEdit({ id: "", dir: recent, text: "" })}>
          New note
        </Button>
      </div>
      <ul className="mb-7 rounded-lg border border-border bg-surface">
        {notes.map((note) => (
          <li
            key={note.id}
            className="flex flex-wrap items-center gap-2 border-b border-border px-4 py-2.5 last:border-b-0"
            data-testid="memory-note"
          >
            <div className="min-w-0 flex-1 max-[640px]:basis-full">
              <p className="selectable break-words whitespace-pre-wrap">{note.text}</p>
              <p className="text-xs break-words text-text-faint">
                <span className="font-mono">{shortPath(note.dir)}</span> ·{" "}
                {note.goal ? "noted by a goal" : "noted by you"}
              </p>
            </div>
            <Button look="quiet" data-testid="note-edit" onClick={() => setEdit(note)}>
              Edit
            </Button>
            <Button look="quiet" data-testid="note-delete" onClick={() => void remove(note)}>
              Delete
            </Button>
          </li>
        ))}
        {notes.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            Nothing yet. Goals note here what later goals in the same folder should know.
          </li>
        ) : null}
      </ul>
      {edit ? (
        <NoteForm
          edit={edit}
          onClose={() => setEdit(null)}
          onSaved={(dropped) => {
            setEdit(null);
            void reload();
            if (dropped.length > 0) app.notices.done(`The memory was full. Forgotten: ${dropped.join(" · ")}`);
          }}
        />
      ) : null}
    </section>
  );
}

interface NoteFormProps {
  edit: Edit;
  onClose: () => void;
  /** The texts of older notes that had to go. */
  onSaved: (dropped: string[]) => void;
}

/** The form for one note: its folder if it is new, and its text. */
function NoteForm({ edit, onClose, onSaved }: NoteFormProps) {
  const app = useApp();
  const [dir, setDir] = useState(edit.dir);
  const [text, setText] = useState(edit.text);
  const [problem, setProblem] = useState<Problem | null>(null);
  const problemOf = (field: string) => (problem?.field === field ? `${problem.message}: ${problem.hint}` : undefined);
  const save = async () => {
    try {
      const dropped = edit.id
        ? await app.bridge.call("MemoryAPI.Edit", edit.id, text)
        : await app.bridge.call("MemoryAPI.Add", dir, text);
      onSaved((dropped ?? []).map((d) => d.text));
    } catch (reason) {
      setProblem(asProblem(reason));
    }
  };
  return (
    <Dialog open title={edit.id ? "Edit the note" : "New note"} onClose={onClose} testid="note-form">
      <div className="flex flex-col gap-3">
        {edit.id ? null : (
          <Field label="Folder" name="dir" error={problemOf("dir")}>
            {(c) => (
              <Input
                {...c}
                className="font-mono"
                data-testid="note-dir"
                value={dir}
                onChange={(e) => setDir(e.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="What should goals and chats in this folder know?" name="text" error={problemOf("text")}>
          {(c) => (
            <TextArea {...c} rows={4} data-testid="note-text" value={text} onChange={(e) => setText(e.target.value)} />
          )}
        </Field>
        {problem && problem.field !== "dir" && problem.field !== "text" ? (
          <p role="alert" className="text-xs text-bad">
            {problem.message} <span className="text-text-muted">{problem.hint}</span>
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" data-testid="note-save" disabled={!text.trim()} onClick={() => void save()}>
            Save
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
