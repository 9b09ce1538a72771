import { stripControl } from "@/lib/text";
import { cx } from "./cx";

/** Returns the colour of a line of a diff. */
export function lineTone(line: string): string {
  if (line.startsWith("+")) return "text-ok";
  if (line.startsWith("-")) return "text-bad";
  return "text-text-faint";
}

interface DiffTextProps {
  text: string;
  testid?: string;
  className?: string;
}

/** A unified diff as text, one row a line. */
export function DiffText({ text, testid, className }: DiffTextProps) {
  return (
    <pre
      data-testid={testid}
      tabIndex={0}
      className={cx("overflow-auto rounded-sm border border-border bg-bg p-2 font-mono text-xs", className)}
    >
      {text.split("\n").map((line, i) => (
        <span key={i} className={`block ${lineTone(line)}`}>
          {stripControl(line) || " "}
        </span>
      ))}
    </pre>
  );
}
