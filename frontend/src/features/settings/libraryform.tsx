import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { LibraryKey, Problem } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input, TextArea } from "@/ui/input";

export interface LibraryEdit {
  kind: keyof typeof examples;
  /** "" for a new entry, whose name the user types. */
  name: string;
  text: string;
  /** The entry that is copied with all its files, or null. */
  from: LibraryKey | null;
}

const examples = {
  persona: "description: What it is for.\n---\nYou work as …\n",
  skill: "description: What it is for, and when to load it.\n---\nWhat an agent should know.\n",
  template:
    "description: What it is for.\nparameters:\n  - name: file\n    description: The file that the goal makes\n" +
    "check: file:{{file}}\n---\n{{file}} exists and says …\n",
};

const example = (kind: LibraryEdit["kind"], name: string) => `---\nname: ${name}\n${examples[kind]}`;

/** The form for one entry: its name if it is new, and its text, which is checked while the user types. */
export function LibraryForm({
  edit,
  onClose,
  onSaved,
}: {
  edit: LibraryEdit;
  onClose: () => void;
  onSaved: () => void;
}) {
  const app = useApp();
  const [name, setName] = useState(edit.name);
  const [typed, setTyped] = useState<string | null>(edit.name ? edit.text : null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const text = typed ?? example(edit.kind, name);
  const { answer: wrong } = useAnswer("LibraryAPI.Validate", { kind: edit.kind, name, text, new: false });
  const save = async () => {
    try {
      if (edit.from) await app.bridge.call("LibraryAPI.Duplicate", edit.from, name);
      else await app.bridge.call("LibraryAPI.Save", { kind: edit.kind, name, text, new: edit.name === "" });
      onSaved();
    } catch (reason) {
      setProblem(asProblem(reason));
    }
  };
  const title = edit.from ? `Duplicate ${edit.from.name}` : edit.name ? `Edit ${edit.name}` : `New ${edit.kind}`;
  return (
    <Dialog open title={title} onClose={onClose} testid="library-form">
      <div className="flex flex-col gap-3">
        {edit.name ? null : (
          <Field label="Name" name="name" error={problem?.field === "name" ? problem.message : undefined}>
            {(c) => <Input {...c} data-testid="library-name" value={name} onChange={(e) => setName(e.target.value)} />}
          </Field>
        )}
        {edit.from ? null : (
          <Field label="Text" name="text" error={name && wrong ? wrong : undefined}>
            {(c) => (
              <TextArea
                {...c}
                rows={14}
                className="font-mono text-xs"
                data-testid="library-text"
                value={text}
                onChange={(e) => setTyped(e.target.value)}
              />
            )}
          </Field>
        )}
        {problem && problem.field !== "name" ? (
          <p role="alert" className="text-xs text-bad">
            {problem.message} <span className="text-text-muted">{problem.hint}</span>
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" data-testid="library-save" disabled={!name} onClick={() => void save()}>
            {edit.from ? "Duplicate" : "Save"}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
