import type { ReactNode } from "react";
import { Caption } from "@/ui/caption";

interface SectionProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  testid?: string;
}

/** A section of the rail or the drawer. */
export function Section({ title, aside, children, testid }: SectionProps) {
  return (
    <section className="border-b border-border px-4 py-3" data-testid={testid}>
      <div className="mb-2 flex items-baseline justify-between gap-3">
        <Caption>{title}</Caption>
        {aside ? <span className="truncate text-2xs text-text-faint tabular-nums">{aside}</span> : null}
      </div>
      {children}
    </section>
  );
}
