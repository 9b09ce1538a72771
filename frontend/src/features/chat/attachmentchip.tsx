import { useState } from "react";
import type { Attachment, AttachmentKind } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { clip, oneLine, plural, stripControl } from "@/lib/text";
import { cx } from "@/ui/cx";
import { CloseIcon, FileIcon, GlobeIcon, GoalIcon, PictureIcon, SelectionIcon, TerminalIcon } from "@/ui/icons";
import { LongText } from "@/agent/calldetails";

const icons: Record<AttachmentKind, typeof FileIcon> = {
  pane: TerminalIcon,
  selection: SelectionIcon,
  command: TerminalIcon,
  file: FileIcon,
  image: PictureIcon,
  goal: GoalIcon,
};

const kinds: Record<AttachmentKind, string> = {
  pane: "Pane",
  selection: "Selection",
  command: "Command",
  file: "File",
  image: "Picture",
  goal: "Goal",
};

function Icon({ given }: { given: Attachment }) {
  const isPage = useAppState((s) => s.panes.panes.some((p) => p.id === given.pane && p.kind === "browser"));
  const Shape = isPage ? GlobeIcon : icons[given.kind];
  return <Shape size={13} className="shrink-0" />;
}

const look = "inline-flex h-6 max-w-full min-w-0 items-center gap-1.5 rounded-md bg-agent-bg px-2 text-xs text-agent";

export function attachmentTitle(given: Attachment): string {
  return stripControl(clip(oneLine(given.title), 80)) || kinds[given.kind];
}

interface DraftChipProps {
  given: Attachment;
  onRemove: () => void;
}

/** Something that the next message gives to the model. */
export function DraftChip({ given, onRemove }: DraftChipProps) {
  const title = attachmentTitle(given);
  return (
    <span className={look} data-testid="chat-draft-chip" data-kind={given.kind}>
      <Icon given={given} />
      {given.kind === "image" && given.image ? (
        <img src={`data:image/png;base64,${given.image}`} alt="" className="h-4 max-w-8 rounded-sm object-cover" />
      ) : null}
      <span className="truncate" title={given.text || title}>
        {title}
      </span>
      <button
        type="button"
        aria-label={`Remove ${title}`}
        data-testid="chat-chip-remove"
        className="-mr-1 shrink-0 rounded-sm p-0.5 hover:text-text max-[640px]:min-h-6 max-[640px]:min-w-6"
        onClick={onRemove}
      >
        <CloseIcon size={11} />
      </button>
    </span>
  );
}

/** What a sent message gave to the model. It opens to the text that the model read. */
export function SentChip({ given }: { given: Attachment }) {
  const [open, setOpen] = useState(false);
  const lines = given.text.split("\n").length;
  return (
    <div className={open ? "w-full" : "max-w-full min-w-0"}>
      <button
        type="button"
        aria-expanded={open}
        data-testid="chat-sent-chip"
        data-kind={given.kind}
        disabled={given.text === ""}
        className={cx(look, "disabled:cursor-default")}
        onClick={() => setOpen(!open)}
      >
        <Icon given={given} />
        <span className="truncate">{attachmentTitle(given)}</span>
      </button>
      {open ? (
        <div className="mt-1 mb-1.5 max-h-72 overflow-auto rounded-md border border-border bg-bg px-2.5 py-1.5">
          <p className="mb-1 text-2xs text-text-faint">Given to the model as data, {plural(lines, "line")}</p>
          <LongText text={given.text} label="What was attached" className="text-text-muted" />
        </div>
      ) : null}
    </div>
  );
}
