import type { ReactNode } from "react";
import { cx } from "./cx";

export type StatusTone = "accent" | "ok" | "warn" | "bad" | "agent" | "calm";

const tones: Record<StatusTone, string> = {
  accent: "bg-accent-bg text-accent",
  ok: "bg-ok-bg text-ok",
  warn: "bg-warn-bg text-warn",
  bad: "bg-bad-bg text-bad",
  agent: "bg-agent-bg text-agent",
  calm: "bg-surface-hover text-text-muted",
};

export const toneText: Record<StatusTone, string> = {
  accent: "text-accent",
  ok: "text-ok",
  warn: "text-warn",
  bad: "text-bad",
  agent: "text-agent",
  calm: "text-text-muted",
};

interface BadgeProps {
  tone: StatusTone;
  /** A pulsing dot before the text while work is in progress. */
  live?: boolean;
  title?: string;
  testid?: string;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone, live, title, testid, className, children }: BadgeProps) {
  return (
    <span
      title={title}
      data-testid={testid}
      className={cx(
        "inline-flex min-w-0 items-center gap-1.5 rounded-full px-2 text-2xs leading-[18px] " +
          "font-medium whitespace-nowrap",
        tones[tone],
        className,
      )}
    >
      {live ? <span className="breathe size-1.5 shrink-0 rounded-full bg-current" /> : null}
      <span className="truncate">{children}</span>
    </span>
  );
}

const dots: Record<StatusTone, string> = {
  accent: "bg-accent",
  ok: "bg-ok",
  warn: "bg-warn",
  bad: "bg-bad",
  agent: "bg-agent",
  calm: "bg-text-faint",
};

export function Dot({ tone, live }: { tone: StatusTone; live?: boolean }) {
  return <span aria-hidden className={cx("size-[7px] shrink-0 rounded-full", dots[tone], live && "breathe")} />;
}
