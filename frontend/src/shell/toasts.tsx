import { toast, Toaster } from "sonner";
import type { Notifier } from "@/store/core";
import { useAppState } from "@/store/context";

/** Short messages at the edge of the window. Problems stay longer and say what to do. */
export const toasts: Notifier = {
  problem: (p) => void toast.error(p.message, { id: p.code + p.message, duration: 9_000, description: p.hint }),
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
