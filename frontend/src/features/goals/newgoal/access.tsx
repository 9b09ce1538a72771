import { useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Field } from "@/ui/field";
import type { AdvancedProps } from "./advancedprops";
import { CheckboxList } from "./checkboxlist";
import type { DraftCheck } from "./draftcheck";
import { Select } from "@/ui/input";

/** Where commands run (in the sandbox, on this machine, or on a server of the user), and whether they run again. */
export function CheckLocation({ draft, set }: Pick<AdvancedProps, "draft" | "set">) {
  const servers = (useAnswer("SSHAPI.List").answer ?? []).map((s) => s.name || s.host);
  const setAll = (part: Partial<DraftCheck>) => set({ checks: draft.checks.map((k) => ({ ...k, ...part })) });
  return (
    <div className="flex flex-col gap-1.5">
      <Field label="Run shell checks in">
        {(c) => (
          <Select
            {...c}
            data-testid="field-where"
            value={draft.checks[0]?.where ?? ""}
            onChange={(e) => setAll({ where: e.target.value })}
          >
            <option value="">the sandbox</option>
            <option value="host">this machine, outside the sandbox</option>
            {servers.map((name) => (
              <option key={name} value={`ssh:${name}`}>
                server {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <label className="flex items-center gap-2 text-xs">
        <input
          type="checkbox"
          data-testid="field-rerun"
          className="accent-(--accent)"
          checked={!draft.checks[0]?.noRerun}
          onChange={(e) => setAll({ noRerun: !e.target.checked })}
        />
        If a pass is in doubt, run the check again with the files of the start
      </label>
    </div>
  );
}

/** Secrets that the goal may use by name without asking. */
export function Secrets({ draft, set, errors }: AdvancedProps) {
  const stored = useAnswer("SecretAPI.List").answer ?? [];
  const providers = useAppState((s) => s.providers);
  // The key of a model is Goalpost's own, and of no use to the goal.
  const isKey = (name: string) => providers.some((p) => p.api_key_secret === name && name === `provider-${p.id}`);
  const secrets = stored.filter((s) => !isKey(s.name));
  if (secrets.length === 0 && !errors.secrets) return null;
  return (
    <CheckboxList
      title="Secrets available to this goal"
      testid="use-secret"
      error={errors.secrets?.message}
      items={secrets.map((s) => ({
        id: s.name,
        label: s.hosts?.length ? `${s.name} · only for ${s.hosts.join(", ")}` : s.name,
      }))}
      on={draft.secrets}
      onChange={(names) => set({ secrets: names })}
    />
  );
}

/** The user's panes that the goal may use. */
export function Panes({ draft, set, errors }: AdvancedProps) {
  const panes = useAppState((s) => s.panes.panes);
  const mine = panes.filter((p) => p.goal_id === "" && p.kind !== "file" && (p.kind === "browser" || p.running));
  if (mine.length === 0) return null;
  return (
    <CheckboxList
      title="Shared panes"
      note={
        "The goal acts as you there: with your permissions in a terminal, with your logins and " +
        "network on a page. It can look freely but asks before it acts."
      }
      testid="share-pane"
      error={errors.panes?.message}
      items={mine.map((p) => ({ id: p.id, label: `${p.title || p.url || p.id} · ${p.kind}` }))}
      on={draft.panes}
      onChange={(ids) => set({ panes: ids })}
    />
  );
}
