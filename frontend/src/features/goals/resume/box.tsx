import type { ReactNode } from "react";
import type { GoalView } from "@/bridge/types";
import { toneText } from "@/ui/badge";
import { assuranceOf } from "@/features/goals/assurancelabel";
import { goalStatusLabel } from "@/features/goals/labels";

interface BoxProps {
  view: GoalView;
  kind: string;
  title: ReactNode;
  /** Shows amber only in the frame. */
  quiet?: boolean;
  children: ReactNode;
}

export function PanelBox({ view, kind, title, quiet = false, children }: BoxProps) {
  const said = goalStatusLabel(view);
  const tone = assuranceOf(view)?.tone ?? said.tone;
  const look =
    tone === "warn"
      ? `border-warn ${quiet ? "bg-surface-raised" : "bg-warn-bg"}`
      : "border-border-strong bg-surface-raised";
  return (
    <section
      data-testid="answer"
      data-kind={kind}
      className={`mt-2.5 w-full rounded-md border px-3 py-2.5 text-xs ${look}`}
    >
      <div
        className={
          "selectable font-medium break-words whitespace-pre-wrap " + (tone === "warn" && !quiet ? toneText.warn : "")
        }
      >
        {title}
      </div>
      {children}
    </section>
  );
}
