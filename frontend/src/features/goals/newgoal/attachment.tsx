import { useState } from "react";
import { plural } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { IconButton } from "@/ui/button";
import { ChevronIcon, CloseIcon } from "@/ui/icons";
import type { AdvancedProps } from "./advancedprops";

interface AttachmentProps extends Pick<AdvancedProps, "draft" | "set"> {
  error: string | undefined;
}

/** The chat that the goal is made from, which the agent reads with the objective. */
export function AttachedChat() {
  const app = useApp();
  const chat = useAppState((s) => s.newGoalChat);
  if (!chat) return null;
  return (
    <div
      className="-mt-1.5 flex items-center rounded-md border border-border px-2.5 py-1 text-xs text-text-muted"
      data-testid="attached-chat"
    >
      <span className="min-w-0 flex-1">The chat is attached: the agent reads it as data, not as instructions</span>
      <IconButton
        label="Remove the attached chat"
        className="-my-1 -mr-1.5"
        onClick={() => app.set({ newGoalChat: "" })}
      >
        <CloseIcon size={13} />
      </IconButton>
    </div>
  );
}

/** The output of a command that the agent reads with the objective. */
export function Attachment({ draft, set, error }: AttachmentProps) {
  const [isOpen, setOpen] = useState(false);
  const text = draft.attached;
  if (!text) return null;
  return (
    <div className="-mt-1.5 rounded-md border border-border px-2.5 py-1 text-xs" data-testid="attachment">
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          data-testid="attachment-open"
          className="flex min-w-0 flex-1 items-center gap-1.5 text-text-muted hover:text-text"
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronIcon size={11} className={isOpen ? "rotate-90" : ""} />
          Output of the command, {plural(text.split("\n").length, "line")}, attached
        </button>
        <IconButton label="Remove the attached output" className="-my-1 -mr-1.5" onClick={() => set({ attached: "" })}>
          <CloseIcon size={13} />
        </IconButton>
      </div>
      {isOpen ? (
        <pre className="selectable mt-1 max-h-40 overflow-auto font-mono text-2xs break-words whitespace-pre-wrap">
          {text}
        </pre>
      ) : null}
      {error ? (
        <p role="alert" className="text-bad">
          {error}
        </p>
      ) : null}
    </div>
  );
}
