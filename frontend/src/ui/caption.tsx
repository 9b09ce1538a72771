import type { ReactNode } from "react";
import { cx } from "./cx";

interface CaptionProps {
  as?: "h2" | "h3" | "h4" | "legend";
  className?: string;
  children: ReactNode;
}

/** A small heading in capitals above a group. */
export function Caption({ as: Tag = "h3", className, children }: CaptionProps) {
  return <Tag className={cx("caption", className)}>{children}</Tag>;
}
