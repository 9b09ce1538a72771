import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem } from "@/bridge/types";
import { FolderField } from "@/folders/folderfield";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { createWorkspace } from "./workspacefile";

const presets = [1, 2, 3].flatMap((rows) => [1, 2, 3].map((columns) => ({ rows, columns })));

/** Asks for the name, the folder and the terminals of a new workspace. */
export function NewWorkspaceDialog() {
  const open = useAppState((s) => s.newWorkspace);
  return open ? <OpenNewWorkspace /> : null;
}

function OpenNewWorkspace() {
  const app = useApp();
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const [preset, setPreset] = useState(0);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => app.set({ newWorkspace: false });
  const create = async () => {
    const chosen = presets[preset];
    if (busy || !chosen) return;
    setBusy(true);
    try {
      await createWorkspace(app, name, folder, chosen.rows, chosen.columns);
      close();
    } catch (reason) {
      setProblem(asProblem(reason));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={close}
      title="New workspace"
      testid="new-workspace-dialog"
      className="w-[520px]"
      description="A workspace has its own folder, panes and goals"
      help="guide/workspaces"
      onKeyDown={(e) => {
        if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) void create();
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-bad" role="alert">
            {problem && problem.field !== "folder" ? `${problem.message} ${problem.hint}` : ""}
          </span>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" data-testid="workspace-create" disabled={busy} onClick={() => void create()}>
            {busy ? "Creating…" : "Create"} <Kbd onAccent>Ctrl↵</Kbd>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Name" name="workspace-name" hint="that of the folder if you leave it empty">
          {(c) => (
            <Input {...c} data-testid="field-workspace-name" value={name} onChange={(e) => setName(e.target.value)} />
          )}
        </Field>
        <FolderField
          label="Folder"
          name="folder"
          value={folder}
          onChange={setFolder}
          placeholder="~"
          error={problem?.field === "folder" ? problem : undefined}
        />
        <div>
          <Caption className="mb-1.5">Terminals</Caption>
          <div role="radiogroup" aria-label="Terminals" className="grid w-fit grid-cols-3 gap-1.5">
            {presets.map((p, i) => (
              <Preset key={`${p.rows}x${p.columns}`} {...p} isChosen={i === preset} onChoose={() => setPreset(i)} />
            ))}
          </div>
        </div>
      </div>
    </Dialog>
  );
}

interface PresetProps {
  rows: number;
  columns: number;
  isChosen: boolean;
  onChoose: () => void;
}

/** A drawing of rows and columns. */
function Preset({ rows, columns, isChosen, onChoose }: PresetProps) {
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      aria-label={`${columns} × ${rows}`}
      data-testid={`preset-${columns}x${rows}`}
      onClick={onChoose}
      className={cx(
        "flex flex-col items-center gap-1 rounded-md border px-3 py-2 text-2xs text-text-muted",
        isChosen ? "border-accent bg-accent-bg" : "border-border hover:border-border-strong",
      )}
    >
      <span
        aria-hidden
        className="grid h-8 w-12 gap-0.5"
        style={{ gridTemplate: `repeat(${rows}, 1fr) / repeat(${columns}, 1fr)` }}
      >
        {Array.from({ length: rows * columns }, (_, n) => (
          <span key={n} className="rounded-[2px] bg-text-faint/40" />
        ))}
      </span>
      {columns} × {rows}
    </button>
  );
}
