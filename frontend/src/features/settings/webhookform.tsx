import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Webhook } from "@/bridge/types";
import { useApp } from "@/store/context";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { Select } from "@/ui/input";

const forms: readonly { value: string; title: string; example: string }[] = [
  { value: "ntfy", title: "ntfy", example: "https://ntfy.sh/TOPIC" },
  { value: "slack", title: "Slack", example: "https://hooks.slack.com/services/…" },
  { value: "teams", title: "Teams", example: "https://….logic.azure.com/workflows/…" },
  { value: "generic", title: "Goalpost's JSON", example: "https://example.org/hook" },
];

const events: readonly { value: string; title: string }[] = [
  { value: "needs_you", title: "Needs you" },
  { value: "ended", title: "Ended" },
  { value: "digest", title: "Daily digest" },
];

/** Returns the name of a form as the user reads it. */
export const formTitle = (form: string) => forms.find((f) => f.value === form)?.title ?? form;

/** Returns the name of an event as the user reads it. */
export const eventTitle = (event: string) => events.find((e) => e.value === event)?.title ?? event;

export const newWebhook: Webhook = {
  name: "",
  form: "ntfy",
  events: ["needs_you", "ended"],
  plain_http: false,
  host: "",
  failed_at: "",
  failure: "",
};

interface WebhookFormProps {
  webhook: Webhook;
  onClose: () => void;
  onSaved: () => void;
}

/** The form for one webhook. Go reports which field is wrong. */
export function WebhookForm({ webhook, onClose, onSaved }: WebhookFormProps) {
  const app = useApp();
  const [draft, setDraft] = useState(webhook);
  const [url, setURL] = useState("");
  const isNew = webhook.name === "";
  const chosen = draft.events ?? [];
  const save = async () => {
    const { name, form, plain_http } = draft;
    try {
      await app.bridge.call("WebhookAPI.Save", {
        name: name.trim(),
        form,
        plain_http,
        events: chosen,
        url: url.trim(),
      });
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };
  const choose = (event: string, on: boolean) =>
    setDraft({ ...draft, events: events.map((e) => e.value).filter((e) => (e === event ? on : chosen.includes(e))) });
  return (
    <FormDialog
      help="how-to/notifications"
      name="webhook"
      title={isNew ? "Add a webhook" : `Webhook ${webhook.name}`}
      description="A service that receives notifications"
      fields={["name", "form", "url", "events"]}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      <FormInput
        name="name"
        label="Name"
        note="letters, digits, dots and dashes"
        placeholder="phone"
        disabled={!isNew}
        value={draft.name}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <FormField name="form" label="Service">
        {(c) => (
          <Select {...c} value={draft.form} onChange={(e) => setDraft({ ...draft, form: e.target.value })}>
            {forms.map((f) => (
              <option key={f.value} value={f.value}>
                {f.title}
              </option>
            ))}
          </Select>
        )}
      </FormField>
      <FormInput
        name="url"
        label="Address"
        type="password"
        note={isNew ? "kept with your secrets" : `kept with your secrets (${webhook.host}); empty keeps it`}
        placeholder={forms.find((f) => f.value === draft.form)?.example ?? ""}
        value={url}
        onChange={setURL}
      />
      <FormField name="events" label="Send">
        {(c) => (
          <div id={c.id} role="group" aria-label="Send" className="flex gap-4 text-xs">
            {events.map((e) => (
              <label key={e.value} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  data-testid={`webhook-event-${e.value}`}
                  checked={chosen.includes(e.value)}
                  onChange={(change) => choose(e.value, change.target.checked)}
                />
                {e.title}
              </label>
            ))}
          </div>
        )}
      </FormField>
      <label className="flex items-center gap-2 text-xs">
        <input
          type="checkbox"
          data-testid="webhook-plain"
          checked={draft.plain_http}
          onChange={(e) => setDraft({ ...draft, plain_http: e.target.checked })}
        />
        Allow http:// to this computer or its private network
      </label>
    </FormDialog>
  );
}
