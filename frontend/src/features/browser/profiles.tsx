import { useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";

/** The profiles, each with its own logins. */
export function Profiles({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  const { answer, reload } = useAnswer("BrowserAPI.Profiles");
  const names = answer ?? [];
  const [renamed, setRenamed] = useState<string | null>(null);

  const remove = (profile: string) =>
    app.confirm({
      title: `Delete the profile ${profile}?`,
      text: "This deletes its logins and all data that pages stored in it.",
      yes: "Delete the profile",
      danger: true,
      run: async () => {
        if (await app.ask("BrowserAPI.DeleteProfile", profile)) await reload();
      },
    });
  const rename = async (profile: string, to: string) => {
    if (to && to !== profile && !(await app.ask("BrowserAPI.RenameProfile", profile, to))) return;
    setRenamed(null);
    await reload();
  };
  return (
    <div className="mt-3">
      <h3 className="px-1 text-2xs font-semibold text-text-faint uppercase">Profiles</h3>
      <p className="px-1 text-2xs text-text-faint">
        This page stores its logins in {pane.profile ? `“${pane.profile}”` : "no profile: it is private"}.
      </p>
      {names.map((n) => (
        <ProfileRow
          key={n}
          name={n}
          renaming={renamed === n}
          onRenaming={(on) => setRenamed(on ? n : null)}
          onRename={(to) => void rename(n, to)}
          onDelete={() => remove(n)}
        />
      ))}
      <NewProfile onOpened={reload} />
      {pane.goal_id ? null : <CookieImport pane={pane} />}
    </div>
  );
}

interface ProfileRowProps {
  name: string;
  renaming: boolean;
  onRenaming: (on: boolean) => void;
  onRename: (to: string) => void;
  onDelete: () => void;
}

function ProfileRow({ name, renaming, onRenaming, onRename, onDelete }: ProfileRowProps) {
  const app = useApp();
  return (
    <div className="flex h-8 items-center gap-1 px-1" data-testid="profile" data-name={name}>
      {renaming ? (
        <Input
          autoFocus
          data-testid="profile-renamed"
          aria-label={`New name of the profile ${name}`}
          className="h-6 min-w-0 flex-1 px-1"
          defaultValue={name}
          onFocus={(e) => e.target.select()}
          onBlur={() => onRenaming(false)}
          onKeyDown={(e) => {
            if (e.code === "Enter") onRename(e.currentTarget.value.trim());
            if (e.code === "Escape") {
              e.stopPropagation();
              onRenaming(false);
            }
          }}
        />
      ) : (
        <span className="min-w-0 flex-1 truncate">{name}</span>
      )}
      {name === "default" ? null : (
        <Button data-testid="profile-rename" onClick={() => onRenaming(true)}>
          Rename
        </Button>
      )}
      <Button data-testid="profile-open" onClick={() => void app.panes.openBrowser("", name)}>
        New page
      </Button>
      {name === "default" ? null : (
        <Button look="danger" data-testid="profile-delete" onClick={() => onDelete()}>
          Delete
        </Button>
      )}
    </div>
  );
}

function NewProfile({ onOpened }: { onOpened: () => Promise<void> }) {
  const app = useApp();
  const [name, setName] = useState("");
  return (
    <form
      className="flex gap-1 px-1 pt-1"
      onSubmit={(e) => {
        e.preventDefault();
        if (!name.trim()) return;
        void app.panes.openBrowser("", name.trim()).then(onOpened);
        setName("");
      }}
    >
      <Input
        data-testid="profile-name"
        aria-label="Name of a new profile"
        placeholder="New profile, such as work"
        className="h-7 min-w-0 flex-1 px-2"
        value={name}
        onChange={(e) => setName(e.target.value)}
      />
      <Button type="submit" data-testid="profile-new">
        Open
      </Button>
    </form>
  );
}

function CookieImport({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  const importCookies = async (file: File | undefined) => {
    if (!file) return;
    const n = await app.ask("BrowserAPI.ImportCookies", pane.id, await file.text());
    if (n !== undefined) app.notices.done(n === 1 ? "1 cookie was imported" : `${n} cookies were imported`);
  };

  return (
    <label className="mt-2 flex items-center gap-2 px-1 text-2xs text-text-faint">
      Import cookies (Netscape or JSON)
      <input
        type="file"
        data-testid="cookies-file"
        className="min-w-0 flex-1"
        onChange={(e) => void importCookies(e.target.files?.[0])}
      />
    </label>
  );
}
