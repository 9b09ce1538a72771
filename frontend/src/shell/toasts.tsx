import type { MouseEvent } from "react";
import { toast, Toaster } from "sonner";
import { writeClipboard } from "@/bridge/clipboard";
import type { Problem } from "@/bridge/types";
import { clip, oneLine } from "@/lib/text";
import type { Notifier } from "@/store/core";
import { useAppState } from "@/store/context";

/** How many letters of a message, and of its hint, are read in passing. */
const glance = 160;

/** Shows the whole of a problem until the user closes it. */
function showWhole(p: Problem, id: string): void {
  toast.error(p.message, {
    id,
    duration: Infinity,
    description: p.hint,
    className: "toast-whole",
    action: { label: "Copy", onClick: () => void writeClipboard(p.hint ? `${p.message}\n${p.hint}` : p.message) },
  });
}

/** Short messages at the edge of the window. Problems stay longer and say what to do. */
export const toasts: Notifier = {
  problem: (p) => {
    if (p.code === "closed") return; // the user closed the pane while something was done in it
    const [message, hint] = [clip(oneLine(p.message), glance), clip(oneLine(p.hint), glance)];
    const isWhole = message === p.message && hint === p.hint;
    const id = p.code + p.message;
    const details = (e: MouseEvent) => {
      e.preventDefault(); // the message stays
      showWhole(p, id);
    };
    toast.error(message, {
      id,
      duration: 9_000,
      description: hint,
      ...(isWhole ? {} : { action: { label: "Details", onClick: details } }),
    });
  },
  done: (text, action) =>
    void toast.success(text, {
      id: text,
      ...(action ? { duration: 10_000, action: { label: action.label, onClick: action.run } } : {}),
    }),
};

export function Toasts() {
  const theme = useAppState((s) => s.settings?.theme ?? "system");
  return (
    <Toaster
      theme={theme}
      // Not in a corner: corners contain buttons, which a message must not cover.
      position="bottom-center"
      offset={{ bottom: 38 }}
      closeButton
      toastOptions={{
        style: {
          background: "var(--surface-raised)",
          border: "1px solid var(--border-strong)",
          color: "var(--text)",
          boxShadow: "var(--shadow)",
          borderRadius: "8px",
          fontFamily: "var(--font)",
          fontSize: "13px",
          padding: "10px 14px",
        },
        descriptionClassName: "toast-more",
      }}
    />
  );
}
