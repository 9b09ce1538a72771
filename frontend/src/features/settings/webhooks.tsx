import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem, Webhook, WebhookTest } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { eventTitle, formTitle, newWebhook, WebhookForm } from "./webhookform";

/** The webhooks of the user: a list with the last outcome of each, and the form for one of them. */
export function Webhooks() {
  const app = useApp();
  const { answer, reload } = useAnswer("WebhookAPI.List");
  const list = answer === undefined ? null : (answer ?? []);
  const [editing, setEditing] = useState<Webhook | null>(null);
  const remove = async (name: string) => {
    if (!(await app.ask("WebhookAPI.Delete", name))) return;
    await reload();
    const putBack = async () => {
      if (await app.ask("WebhookAPI.Restore", name)) await reload();
    };
    app.notices.done(`Removed the webhook ${name}`, { label: "Undo", run: () => void putBack() });
  };
  return (
    <>
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Webhooks
        </Caption>
        <Button data-testid="webhook-add" onClick={() => setEditing(newWebhook)}>
          Add a webhook
        </Button>
      </div>
      <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="webhooks">
        {(list ?? []).map((w) => (
          <WebhookRow
            key={w.name}
            webhook={w}
            onEdit={() => setEditing(w)}
            onRemove={() => void remove(w.name)}
            onTested={reload}
          />
        ))}
        {list?.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            No webhooks. One sends what needs you to ntfy, Slack, Teams or a program of yours.
          </li>
        ) : null}
      </ul>
      {editing ? (
        <WebhookForm
          webhook={editing}
          onClose={() => setEditing(null)}
          onSaved={() => {
            setEditing(null);
            void reload();
          }}
        />
      ) : null}
    </>
  );
}

interface WebhookRowProps {
  webhook: Webhook;
  onEdit: () => void;
  onRemove: () => void;
  onTested: () => Promise<void>;
}

function WebhookRow({ webhook: w, onEdit, onRemove, onTested }: WebhookRowProps) {
  const app = useApp();
  const [testing, setTesting] = useState(false);
  const [result, setResult] = useState<WebhookTest | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const test = async () => {
    setTesting(true);
    setResult(null);
    setProblem(null);
    try {
      setResult(await app.bridge.call("WebhookAPI.Test", w.name));
    } catch (reason) {
      setProblem(asProblem(reason));
    }
    await onTested();
    setTesting(false);
  };
  return (
    <li className="border-b border-border px-4 py-2.5 last:border-b-0" data-testid="webhook" data-id={w.name}>
      <div className="flex items-center gap-2 max-[640px]:flex-wrap">
        <div className="min-w-0 flex-1 max-[640px]:basis-full">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{w.name}</span>
            <Badge tone="calm">{formTitle(w.form)}</Badge>
          </p>
          <p className="truncate text-xs text-text-faint">
            {[w.host || "no address", ...(w.events ?? []).map(eventTitle)].join(" · ")}
          </p>
        </div>
        <Button
          aria-label={`Send a test to ${w.name}`}
          data-testid="webhook-test"
          disabled={testing}
          onClick={() => void test()}
        >
          {testing ? "Sending…" : "Send a test"}
        </Button>
        <Button aria-label={`Edit ${w.name}`} data-testid="webhook-edit" onClick={onEdit}>
          Edit
        </Button>
        <Button look="quiet" aria-label={`Remove ${w.name}`} data-testid="webhook-remove" onClick={onRemove}>
          Remove
        </Button>
      </div>
      {result ? (
        <p role="status" className="mt-1 text-xs text-ok" data-testid="webhook-result">
          The test arrived: answer {result.status} after {result.elapsed_ms} ms.
        </p>
      ) : problem ? (
        <p role="alert" className="selectable mt-1 text-xs text-bad" data-testid="webhook-problem">
          The test did not arrive: {problem.message}. <span className="text-text-muted">{problem.hint}</span>
        </p>
      ) : w.failed_at ? (
        <p className="selectable mt-1 text-xs text-bad" data-testid="webhook-failed">
          The last delivery failed ({new Date(w.failed_at).toLocaleString()}): {w.failure}
        </p>
      ) : null}
    </li>
  );
}
