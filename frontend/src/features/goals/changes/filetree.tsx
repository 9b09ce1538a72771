import type { ChangedFile, ProtectedFile } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { Caption } from "@/ui/caption";
import { cx } from "@/ui/cx";
import { EyeIcon, LockIcon, MinusIcon, PencilIcon, PlusIcon, WarnIcon } from "./icons";

/** A row of the list: a folder's name before its files. */
function rowsOf(files: readonly ChangedFile[]): ({ folder: string } | { file: ChangedFile; name: string })[] {
  const rows: ({ folder: string } | { file: ChangedFile; name: string })[] = [];
  let last = "";
  for (const file of files) {
    const cut = file.path.lastIndexOf("/");
    const folder = cut < 0 ? "" : file.path.slice(0, cut);
    if (folder !== last && folder) rows.push({ folder });
    last = folder;
    rows.push({ file, name: file.path.slice(cut + 1) });
  }
  return rows;
}

interface FileTreeProps {
  files: readonly ChangedFile[];
  unchanged: readonly ProtectedFile[];
  selected: string;
  onSelect: (path: string) => void;
}

/** The changed files by folder, then the protected files without changes. */
export function FileTree({ files, unchanged, selected, onSelect }: FileTreeProps) {
  return (
    <nav aria-label="Changed files" data-testid="changes-files" className="min-h-0 overflow-y-auto pb-3 text-xs">
      <Head title="Changed" count={files.length} />
      <ul>
        {rowsOf(files).map((row) =>
          "folder" in row ? (
            <li key={`folder ${row.folder}`} className="truncate px-3 py-1 text-text-muted" title={row.folder}>
              {stripControl(row.folder)}/
            </li>
          ) : (
            <li key={row.file.path}>
              <FileRow
                file={row.file}
                name={row.name}
                on={row.file.path === selected}
                onSelect={() => onSelect(row.file.path)}
              />
            </li>
          ),
        )}
      </ul>
      {unchanged.length > 0 ? (
        <>
          <Head title="Protected, unchanged" count={unchanged.length} />
          <ul data-testid="changes-protected">
            {unchanged.map((p) => (
              <li key={p.path} className="flex items-center gap-2 px-3 py-1 text-text-muted" title={p.why}>
                <LockIcon size={13} className="shrink-0" />
                <span className="truncate">{stripControl(p.path)}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <Legend />
    </nav>
  );
}

function Head({ title, count }: { title: string; count: number }) {
  return (
    <div className="flex items-baseline justify-between px-3 pt-3 pb-1">
      <Caption>{title}</Caption>
      <span className="text-2xs text-text-faint">{plural(count, "file")}</span>
    </div>
  );
}

const changeWord: Record<string, string> = { new: "New", changed: "Changed", deleted: "Deleted" };

interface FileRowProps {
  file: ChangedFile;
  name: string;
  on: boolean;
  onSelect: () => void;
}

function FileRow({ file: f, name, on, onSelect }: FileRowProps) {
  const Icon = f.change === "new" ? PlusIcon : f.change === "deleted" ? MinusIcon : PencilIcon;
  const tone = f.change === "new" ? "text-ok" : f.change === "deleted" ? "text-bad" : "text-warn";
  return (
    <button
      type="button"
      data-testid="changes-file"
      data-path={f.path}
      data-change={f.change}
      aria-current={on}
      title={`${changeWord[f.change] ?? ""}: ${f.path}`}
      onClick={onSelect}
      className={cx(
        "flex h-7 w-full items-center gap-2 px-3 pl-5 text-left",
        on ? "bg-surface-hover text-text" : "hover:bg-surface-hover",
        f.ignored && "opacity-70",
      )}
    >
      <Icon size={13} className={`shrink-0 ${tone}`} />
      <span className="sr-only">{changeWord[f.change]}</span>
      <span className="min-w-0 flex-1 truncate">{stripControl(name)}</span>
      {f.edited_since ? (
        <Mark label="Edited later, not by this goal" icon={<WarnIcon size={13} />} tone="text-warn" />
      ) : null}
      {f.protected ? (
        <Mark label={`Protected: ${f.protected}`} icon={<LockIcon size={13} />} tone="text-text-muted" />
      ) : null}
      {(f.read_by ?? []).length > 0 ? (
        <Mark label="Read by the check" icon={<EyeIcon size={13} />} tone="text-accent" />
      ) : null}
      <Count added={f.added} removed={f.removed} />
    </button>
  );
}

function Mark({ label, icon, tone }: { label: string; icon: React.ReactNode; tone: string }) {
  return (
    <span className={`shrink-0 ${tone}`} title={label}>
      {icon}
      <span className="sr-only">{label}</span>
    </span>
  );
}

/** Lines added and removed; nothing if they are not counted. */
export function Count({ added, removed }: { added: number; removed: number }) {
  if (added < 0) return null;
  return (
    <span className="shrink-0 tabular-nums">
      {added > 0 ? <span className="text-ok">+{added} </span> : null}
      {removed > 0 ? <span className="text-bad">−{removed}</span> : null}
    </span>
  );
}

function Legend() {
  return (
    <ul className="mt-3 flex flex-col gap-1.5 border-t border-border px-3 pt-3 text-2xs text-text-faint">
      <li className="flex items-center gap-2">
        <EyeIcon size={13} className="text-accent" /> Read by the check
      </li>
      <li className="flex items-center gap-2">
        <LockIcon size={13} /> Protected: the agent cannot change it
      </li>
    </ul>
  );
}
