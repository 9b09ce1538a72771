import { useState } from "react";
import type { TerminalProfile } from "@/bridge/types";
import { asProblem } from "@/bridge/problem";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { TextArea } from "@/ui/input";
import { SchemeSelect } from "./colorschemes";

const emptyProfile: TerminalProfile = { name: "", command: "", dir: "", env: [], color_scheme: "", default: false };

/** A profile in the form; was: the name under which it is stored, `""` if it is new. */
interface Edited {
  was: string;
  profile: TerminalProfile;
}

/** The user's terminal profiles, and the form for one of them. */
export function TerminalProfiles() {
  const app = useApp();
  const profiles = useAppState((s) => s.terminalProfiles);
  const [edited, setEdited] = useState<Edited | null>(null);
  return (
    <>
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Terminal profiles
        </Caption>
        <Button data-testid="profile-add" onClick={() => setEdited({ was: "", profile: emptyProfile })}>
          New profile
        </Button>
      </div>
      <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="profiles">
        {profiles.map((p) => (
          <ProfileLine
            key={p.name}
            profile={p}
            onEdit={() => setEdited({ was: p.name, profile: p })}
            onCopy={() => setEdited({ was: "", profile: { ...p, name: `${p.name} copy`, default: false } })}
          />
        ))}
        {profiles.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            No profiles. One starts terminals with another program, folder, environment or colors.
          </li>
        ) : null}
      </ul>
      {edited ? (
        <ProfileForm
          edited={edited}
          onClose={() => setEdited(null)}
          onSaved={() => {
            setEdited(null);
            void app.settings.loadTerminalProfiles();
          }}
        />
      ) : null}
    </>
  );
}

interface ProfileLineProps {
  profile: TerminalProfile;
  onEdit: () => void;
  onCopy: () => void;
}

function ProfileLine({ profile: p, onEdit, onCopy }: ProfileLineProps) {
  const app = useApp();
  const variables = p.env?.map((e) => e.split("=", 1)[0]) ?? [];
  const facts = [p.command || "your shell", p.dir, ...variables, p.color_scheme].filter(Boolean).join(" · ");
  return (
    <li
      className="flex items-center gap-2 border-b border-border px-4 py-2.5 last:border-b-0 max-[640px]:flex-wrap"
      data-testid="profile"
    >
      <div className="min-w-0 flex-1 max-[640px]:basis-full">
        <p className="flex items-center gap-2 font-medium">
          <span className="truncate">{p.name}</span>
          {p.default ? <Badge tone="accent">Default</Badge> : null}
        </p>
        <p className="truncate text-xs text-text-faint">{facts}</p>
      </div>
      <Button look="quiet" aria-label={`Edit ${p.name}`} data-testid="profile-edit" onClick={onEdit}>
        Edit
      </Button>
      <Button look="quiet" aria-label={`Duplicate ${p.name}`} data-testid="profile-copy" onClick={onCopy}>
        Duplicate
      </Button>
      <Button
        look="quiet"
        aria-label={`Remove ${p.name}`}
        data-testid="profile-remove"
        onClick={() => app.settings.deleteTerminalProfile(p.name)}
      >
        Remove
      </Button>
    </li>
  );
}

interface ProfileFormProps {
  edited: Edited;
  onClose: () => void;
  onSaved: () => void;
}

/** The form for one profile. Go reports which field is wrong. */
function ProfileForm({ edited: { was, profile }, onClose, onSaved }: ProfileFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(profile);
  const [env, setEnv] = useState((profile.env ?? []).join("\n"));
  const save = async () => {
    try {
      await app.bridge.call("SettingsAPI.SaveTerminalProfile", was, {
        ...draft,
        name: draft.name.trim(),
        command: draft.command.trim(),
        dir: draft.dir.trim(),
        env: env.split("\n").filter((line) => line.trim() !== ""),
      });
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };
  const text = (name: "name" | "command" | "dir") => ({
    name,
    value: draft[name],
    onChange: (v: string) => setDraft({ ...draft, [name]: v }),
  });
  return (
    <FormDialog
      help="guide/terminals"
      name="profile"
      title={was ? `Terminal profile ${was}` : "New terminal profile"}
      className="w-[480px]"
      description="How a terminal starts"
      fields={["name", "command", "dir", "env", "color_scheme"]}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      <FormInput {...text("name")} label="Name" note="" placeholder="Agent" />
      <FormInput {...text("command")} label="Command" note="a shell or another program" placeholder="your shell" />
      <FormInput {...text("dir")} label="Folder" note="" placeholder="that of the focused terminal" />
      <FormField name="env" label="Environment" note="a NAME=value in each line; no secrets">
        {(c) => (
          <TextArea
            {...c}
            rows={3}
            spellCheck={false}
            className="font-mono text-xs"
            value={env}
            onChange={(e) => setEnv(e.target.value)}
          />
        )}
      </FormField>
      <FormField name="color_scheme" label="Colors">
        {() => (
          <SchemeSelect
            testid="profile-scheme"
            label="Colors"
            none="As other terminals"
            value={draft.color_scheme}
            onChange={(color_scheme) => setDraft({ ...draft, color_scheme })}
          />
        )}
      </FormField>
      <label className="flex items-center gap-2 text-xs">
        <input
          type="checkbox"
          data-testid="profile-default"
          checked={draft.default}
          onChange={(e) => setDraft({ ...draft, default: e.target.checked })}
        />
        Use it for new terminals
      </label>
    </FormDialog>
  );
}
