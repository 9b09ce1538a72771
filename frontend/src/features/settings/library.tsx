import { useState } from "react";
import type { LibraryEntry, LibraryKey } from "@/bridge/types";
import { useApp } from "@/store/context";
import { FolderField } from "@/folders/folderfield";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { LibraryForm, type LibraryEdit } from "./libraryform";
import { Recipes } from "./recipes";

const sections = [
  { kind: "persona", title: "Personas" },
  { kind: "skill", title: "Skills" },
  { kind: "template", title: "Templates" },
] as const;

const owners: Record<LibraryEntry["owner"], string> = {
  built_in: "built in",
  user: "",
  claude: "of Claude Code",
  project: "of the project",
};

/** The files with which the user teaches agents, those of a chosen folder among them: the last one of a goal at first. */
export function Library() {
  const app = useApp();
  const [typed, setTyped] = useState<string | null>(null);
  const last = useAnswer("GoalAPI.Folders", "").answer?.recent?.[0] ?? "";
  const value = typed ?? last;
  // A folder that is not there has no files, and while a path is typed, none is.
  const dir = useAnswer("GoalAPI.Folders", value).answer?.dir ?? "";
  const { answer, reload } = useAnswer("LibraryAPI.List", dir);
  const [editing, setEditing] = useState<LibraryEdit | null>(null);
  const keyOf = (e: LibraryEntry): LibraryKey => ({ kind: e.kind, name: e.name, path: e.path, dir });
  const act = async (done: Promise<unknown>) => {
    if (await done) await reload();
  };
  const remove = async (e: LibraryEntry) => {
    if (!(await app.ask("LibraryAPI.Delete", keyOf(e)))) return;
    await reload();
    app.notices.done(`${e.name} is deleted`, {
      label: "Undo",
      run: () => void act(app.ask("LibraryAPI.Restore", keyOf(e))),
    });
  };
  return (
    <section aria-label="Personas, skills and templates" data-testid="library">
      <FolderField
        label="Folder"
        name="library-dir"
        value={value}
        onChange={setTyped}
        placeholder="A project whose personas, skills and templates to list"
      />
      {sections.map(({ kind, title }) => (
        <div key={kind}>
          <div className="mb-2 flex items-baseline">
            <Caption as="h2" className="flex-1">
              {title}
            </Caption>
            <Button data-testid={`new-${kind}`} onClick={() => setEditing({ kind, name: "", text: "", from: null })}>
              New {kind}
            </Button>
          </div>
          <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid={`library-${kind}`}>
            {(answer ?? [])
              .filter((e) => e.kind === kind)
              .map((e) => (
                <EntryRow
                  key={e.owner + e.path + e.name}
                  entry={e}
                  onEdit={() => setEditing({ kind, name: e.name, text: e.text, from: null })}
                  onDuplicate={() => setEditing({ kind, name: "", text: e.text, from: keyOf(e) })}
                  onTrust={() => void act(app.ask("LibraryAPI.Trust", keyOf(e), e.text))}
                  onDelete={() => void remove(e)}
                />
              ))}
            {answer?.some((e) => e.kind === kind) === false ? (
              <li className="px-4 py-3 text-text-faint">No {kind}s yet.</li>
            ) : null}
          </ul>
        </div>
      ))}
      <Recipes />
      {editing ? (
        <LibraryForm
          edit={editing}
          onClose={() => setEditing(null)}
          onSaved={() => {
            setEditing(null);
            void reload();
          }}
        />
      ) : null}
    </section>
  );
}

interface EntryRowProps {
  entry: LibraryEntry;
  onEdit: () => void;
  onDuplicate: () => void;
  onTrust: () => void;
  onDelete: () => void;
}

function EntryRow({ entry: e, onEdit, onDuplicate, onTrust, onDelete }: EntryRowProps) {
  const [open, setOpen] = useState(false);
  const isOwn = e.owner === "user";
  return (
    <li
      className="border-b border-border px-4 py-2.5 last:border-b-0"
      data-testid="library-entry"
      data-id={`${e.owner}/${e.name}`}
    >
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 max-[640px]:basis-full">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {e.name}
            {isOwn ? null : <Badge tone="calm">{owners[e.owner]}</Badge>}
            {e.problem ? <Badge tone="bad">cannot be used</Badge> : null}
            {e.trusted ? null : <Badge tone="warn">not trusted</Badge>}
          </p>
          <p className="selectable text-xs break-words text-text-faint">{e.description}</p>
          {e.problem ? <p className="text-xs text-bad">{e.problem}</p> : null}
          {(e.notes ?? []).map((note) => (
            <p key={note} className="text-xs text-text-faint">
              {note}
            </p>
          ))}
        </div>
        <Button look="quiet" data-testid="entry-show" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide text" : "Show text"}
        </Button>
        {isOwn ? (
          <Button look="quiet" data-testid="entry-edit" onClick={onEdit}>
            Edit
          </Button>
        ) : null}
        {e.problem ? null : (
          <Button look="quiet" data-testid="entry-duplicate" onClick={onDuplicate}>
            Duplicate…
          </Button>
        )}
        {isOwn ? (
          <Button look="quiet" data-testid="entry-delete" onClick={onDelete}>
            Delete
          </Button>
        ) : null}
      </div>
      {open ? (
        <div className="mt-2">
          <pre className="selectable max-h-80 overflow-auto rounded-md bg-bg p-3 font-mono text-xs whitespace-pre-wrap">
            {e.text}
          </pre>
          {e.trusted || e.problem ? null : (
            <Button className="mt-2" data-testid="entry-trust" onClick={onTrust}>
              Trust this text
            </Button>
          )}
        </div>
      ) : null}
    </li>
  );
}
