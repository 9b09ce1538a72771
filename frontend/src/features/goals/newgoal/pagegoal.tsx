import { useState } from "react";
import type { Check, GoalRequest } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { FormDialog, FormField, FormInput } from "@/ui/form";
import { Select } from "@/ui/input";

/** Who decides whether the page shows it. */
type Decider = "text" | "model";

/** Asks what a page should show, and opens New goal with the check for that. */
export function PageGoalDialog() {
  const url = useAppState((s) => s.pageGoal);
  return url ? <Form key={url} url={url} /> : null;
}

function Form({ url }: { url: string }) {
  const app = useApp();
  const [what, setWhat] = useState("");
  const [by, setBy] = useState<Decider>("text");
  const close = () => app.set({ pageGoal: "" });
  return (
    <FormDialog
      name="page-goal"
      title="Make this page show…"
      description="Say what the page should show"
      help="guide/checks"
      yes="Continue"
      fields={["what"]}
      save={async () => {
        if (what.trim()) return Promise.resolve(null);
        return Promise.resolve({ message: "Say what the page should show", hint: "", field: "what" });
      }}
      onClose={close}
      onSaved={() => {
        close();
        app.newGoal(pageGoal(url, what.trim(), by));
      }}
    >
      <p className="truncate font-mono text-xs text-text-muted" title={url}>
        {url}
      </p>
      <FormInput name="what" label="What should it show?" placeholder="Total: $37.80" value={what} onChange={setWhat} />
      <FormField name="by" label="Decided by">
        {(c) => (
          <Select {...c} value={by} onChange={(e) => setBy(e.target.value as Decider)}>
            <option value="text">
              {isFile(url)
                ? "the file: it contains exactly this text"
                : "the page's source: it contains exactly this text"}
            </option>
            <option value="model">a vision model that looks at the page</option>
          </Select>
        )}
      </FormField>
    </FormDialog>
  );
}

const isFile = (url: string) => url.startsWith("file:");

/** The goal that a page shows something: by the text of its source, or by the word of a vision model. */
export function pageGoal(url: string, what: string, by: Decider): Partial<GoalRequest> {
  const { hostname, port, protocol, pathname } = new URL(url);
  const file = isFile(url) ? decodeURIComponent(pathname) : "";
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  const at = file.lastIndexOf("/");
  return {
    objective: `The page ${file || url} shows: ${what}`,
    checks: [checkFor()],
    ...(file ? { dir: file.slice(0, Math.max(at, 1)) } : {}),
    ...(isLocal ? { allow_local: [Number(port || (protocol === "https:" ? 443 : 80))] } : {}),
  };

  function checkFor(): Check {
    if (by === "model") return { type: "visual", question: `Does the page show this: ${what}?`, url };
    if (file) return { type: "file", path: file.slice(at + 1), matches: what.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") };
    return { type: "http", url, body_contains: what };
  }
}
