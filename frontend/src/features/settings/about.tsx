import { useApp } from "@/store/context";
import { cx } from "@/ui/cx";

/** The version of the program and its folders. */
export function About() {
  const { connection, window } = useApp().bridge;
  return (
    <dl
      className={cx(
        "selectable grid grid-cols-[120px_1fr] gap-y-1 rounded-lg border border-border bg-surface",
        "px-4 py-3 text-xs",
      )}
    >
      <dt className="text-text-faint">Version</dt>
      <dd>{connection.version || "unknown"}</dd>
      <dt className="text-text-faint">Data</dt>
      <dd className="font-mono text-2xs leading-[18px] break-all">{connection.data_dir}</dd>
      <dt className="text-text-faint">Goal folders</dt>
      <dd className="font-mono text-2xs leading-[18px] break-all">{connection.work_dir}</dd>
      <dt className="text-text-faint">Window</dt>
      <dd>{window ? "desktop window" : "web browser"}</dd>
    </dl>
  );
}
