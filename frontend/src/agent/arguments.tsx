import { argumentLines, stripControl } from "@/lib/text";
import { cx } from "@/ui/cx";

interface ArgumentsProps {
  /** JSON as the model wrote it. */
  raw: string;
  className?: string;
}

/** All arguments of a call, with marks for hidden characters. */
export function Arguments({ raw, className }: ArgumentsProps) {
  return (
    <dl
      className={cx("mb-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs", className)}
      data-testid="approval-arguments"
      tabIndex={0}
      aria-label="Arguments"
    >
      {argumentLines(raw).map((line) => (
        <div key={line.name} className="contents">
          <dt className="text-text-faint">{stripControl(line.name)}</dt>
          <dd className="max-h-40 overflow-auto font-mono whitespace-pre-wrap break-words">
            {stripControl(line.value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
