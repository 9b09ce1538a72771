import type { ReactNode } from "react";
import { Caption } from "@/ui/caption";
import { Field } from "@/ui/field";
import type { Draft } from "./draft";
import type { MoreProps } from "./advancedprops";
import { ProviderField } from "./supervision";
import { CheckLocation, Panes, Secrets } from "./access";
import { DependencyPicker } from "./after";
import { Input, Select } from "@/ui/input";

type Text =
  | "iterations"
  | "tokens"
  | "claims"
  | "allowTools"
  | "denyTools"
  | "allowHosts"
  | "denyHosts"
  | "allowLocal"
  | "allowWrite"
  | "allowRead"
  | "allowSocket"
  | "protect"
  | "noProtect"
  | "criticEvery";

/** What has a sensible default and is seldom changed. */
export function AdvancedOptions({ draft, set, errors }: MoreProps) {
  const text = (name: Text, label: string, hint?: string, placeholder = "", mono = false, error?: string) => (
    <Field label={label} hint={hint} name={name} error={error}>
      {(c) => (
        <Input
          {...c}
          data-testid={`field-${name}`}
          spellCheck={false}
          placeholder={placeholder}
          className={mono ? "font-mono text-xs" : ""}
          value={draft[name]}
          onChange={(e) => set({ [name]: e.target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className="mt-3 flex flex-col gap-4">
      <Group title="Limits">
        {text("iterations", "Turns", undefined, "no limit")}
        {text("tokens", "Tokens", undefined, "no limit")}
        {text("claims", "Failed claims per check", undefined, "no limit")}
      </Group>
      <Group title="Supervision">
        {text(
          "criticEvery",
          "Critic every",
          "steps; leave empty for no critic",
          "never",
          false,
          errors.critic_every?.message,
        )}
        <ProviderField
          draft={draft}
          set={set}
          name="criticProvider"
          label="Critic"
          error={errors.critic_provider?.message}
        />
        <ProviderField
          draft={draft}
          set={set}
          name="judgeProvider"
          label="Judge and reviewer"
          error={errors.judge_provider?.message}
        />
        <Field
          label="Review"
          name="review"
          error={errors.review?.message}
          hint="an independent review of passing claims"
        >
          {(c) => (
            <Select
              {...c}
              data-testid="field-review"
              value={draft.review}
              onChange={(e) => set({ review: e.target.value as Draft["review"] })}
            >
              <option value="">when no automatic check decides</option>
              <option value="always">always</option>
              <option value="never">never</option>
            </Select>
          )}
        </Field>
        <Field label="Persona" name="persona" error={errors.persona?.message} hint="how the agent works">
          {(c) => (
            <Select
              {...c}
              data-testid="field-persona"
              value={draft.persona}
              onChange={(e) => set({ persona: e.target.value })}
            >
              <option value="">engineer</option>
              <option value="researcher">researcher</option>
              <option value="tester">tester</option>
              <option value="writer">writer</option>
            </Select>
          )}
        </Field>
        <Field label="If no one answers" name="on_ask" error={errors.on_ask?.message} hint="unanswered approvals">
          {(c) => (
            <Select
              {...c}
              data-testid="field-on-ask"
              value={draft.onAsk}
              onChange={(e) => set({ onAsk: e.target.value as Draft["onAsk"] })}
            >
              <option value="">pause and wait</option>
              <option value="deny">deny</option>
              <option value="allow">allow unless approval is always required</option>
            </Select>
          )}
        </Field>
        <label className="col-span-2 flex items-center gap-2 self-center text-xs">
          <input
            type="checkbox"
            data-testid="field-require-steps"
            className="accent-(--accent)"
            checked={draft.requireSteps}
            onChange={(e) => set({ requireSteps: e.target.checked })}
          />
          Require a declared step for every change, and verify its result
        </label>
      </Group>
      <Group title="Tools, hosts, files">
        {text("allowTools", "Allowed tools", "leave empty for all tools", "", true)}
        {text("denyTools", "Denied tools", "for example browser_open", "", true)}
        {text("allowHosts", "Allowed hosts", "for network get", "docs.example.com", true, errors.allow_hosts?.message)}
        {text("denyHosts", "Blocked hosts", "never contacted", "*.example.com", true)}
        {text("allowLocal", "Allowed local ports", "on your machine", "5432", true, errors.allow_local?.message)}
        {text(
          "allowWrite",
          "Extra writable folders",
          "comma-separated",
          "/home/you/notes",
          true,
          errors.allow_write?.message,
        )}
        {text("allowRead", "Extra readable paths", "comma-separated", "/srv/data", true, errors.allow_read?.message)}
        {text(
          "allowSocket",
          "Allowed Unix sockets",
          "run with your permissions",
          "/run/docker.sock",
          true,
          errors.allow_socket?.message,
        )}
        {text(
          "protect",
          "Protected files",
          "patterns, besides the ones found",
          "tests/**",
          true,
          errors.protect?.message,
        )}
        {text("noProtect", "Exceptions", undefined, "", true)}
        <Field label="Folder for checks" hint="inside the goal's folder">
          {(c) => (
            <Input
              {...c}
              data-testid="field-check-dir"
              spellCheck={false}
              placeholder="."
              className="font-mono text-xs"
              value={draft.checks[0]?.dir ?? ""}
              onChange={(e) => set({ checks: draft.checks.map((k) => ({ ...k, dir: e.target.value })) })}
            />
          )}
        </Field>
        <CheckLocation draft={draft} set={set} />
      </Group>
      <Secrets draft={draft} set={set} errors={errors} />
      <DependencyPicker draft={draft} set={set} errors={errors} />
      <Panes draft={draft} set={set} errors={errors} />
      <label className="flex items-start gap-2 rounded-md bg-warn-bg px-3 py-2 text-xs">
        <input
          type="checkbox"
          data-testid="field-unconfined"
          className="mt-0.5 accent-(--accent)"
          checked={draft.unconfined}
          onChange={(e) => set({ unconfined: e.target.checked })}
        />
        <span>
          Run without the sandbox, with your full permissions and network access. This is logged.
          {errors.sandbox ? (
            <span role="alert" data-testid="error-sandbox" className="mt-1 block text-bad">
              {errors.sandbox.message} <span className="text-text-muted">{errors.sandbox.hint}</span>
            </span>
          ) : null}
        </span>
      </label>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Caption className="mb-1.5">{title}</Caption>
      <div className="grid grid-cols-3 gap-3">{children}</div>
    </section>
  );
}
