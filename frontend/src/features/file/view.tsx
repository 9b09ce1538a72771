import { useEffect, useRef, useState } from "react";
import type { PaneInfo } from "@/bridge/types";
import { shortPath, stripControl } from "@/lib/text";
import { timeOfDay } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { SearchIcon, WrapIcon } from "@/ui/icons";
import { initialFile, OpenFile, type FileState } from "./openfile";

interface FileViewProps {
  pane: PaneInfo;
  active: boolean;
}

/** A text file in a pane: to read, and to edit with a key. */
export function FileView({ pane, active }: FileViewProps) {
  const { host, file, state } = useFile(pane);
  const { content, isEditing, isChanged, isConflict, changedLine, since, wraps } = state;
  useEffect(() => {
    if (active) file.current?.editor.view.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- when the pane becomes the active one
  }, [active]);
  const isShown = isChanged || !content?.problem;
  return (
    <div
      role="group"
      aria-label={`File ${pane.title}`}
      data-testid="file"
      data-pane={pane.id}
      data-path={pane.path}
      data-editing={isEditing}
      data-changed={isChanged}
      className="flex h-full flex-col bg-surface"
      onKeyDown={(e) => onFileKey(e, file.current, state)}
      onBlur={() => file.current?.leave()}
    >
      <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-border px-3">
        <span className="selectable min-w-0 truncate font-mono text-xs text-text-muted" title={pane.path}>
          {stripControl(shortPath(pane.path))}
        </span>
        {content?.target ? (
          <Badge tone="warn" testid="file-target">
            a link to {stripControl(shortPath(content.target))}
          </Badge>
        ) : null}
        {isChanged ? (
          <Badge tone="accent" testid="file-unsaved">
            {since ? `not saved since ${timeOfDay(since)}` : "not saved"}
          </Badge>
        ) : null}
        {changedLine > 0 && !isChanged ? (
          <Button look="quiet" data-testid="file-changed" onClick={() => file.current?.showChange()}>
            Changed · show line {changedLine}
          </Button>
        ) : null}
        <span className="flex-1" />
        <IconButton
          label={wraps ? "Do not wrap long lines (Alt+Z)" : "Wrap long lines (Alt+Z)"}
          data-testid="file-wrap"
          on={wraps}
          onClick={() => file.current?.toggleWrap()}
        >
          <WrapIcon size={14} />
        </IconButton>
        <IconButton
          label="Search (Ctrl+F)"
          data-testid="file-search"
          disabled={!content}
          onClick={() => file.current?.editor.search()}
        >
          <SearchIcon size={14} />
        </IconButton>
        {isEditing ? (
          <>
            <Button look="quiet" data-testid="file-stop" onClick={() => file.current?.stop()}>
              {isChanged ? "Discard" : "Stop editing"}
            </Button>
            <Button
              look="primary"
              data-testid="file-save"
              disabled={!isChanged || isConflict}
              onClick={() => void file.current?.save()}
            >
              Save
            </Button>
          </>
        ) : (
          <Button
            data-testid="file-edit"
            disabled={!content || content.problem !== "" || content.readOnly}
            title={content?.readOnly ? "You may not write this file" : "Edit (E)"}
            onClick={() => file.current?.edit(true)}
          >
            {content?.readOnly ? "Read-only" : "Edit"}
          </Button>
        )}
      </div>
      {isConflict ? <Conflict file={file.current} state={state} /> : null}
      {isShown ? null : (
        <p
          role="status"
          data-testid="file-problem"
          className="selectable px-4 py-6 text-center text-xs text-text-muted"
        >
          {content.problem}
        </p>
      )}
      <div ref={host} className={`min-h-0 flex-1 overflow-clip ${isShown ? "" : "hidden"}`} />
    </div>
  );
}

interface ConflictProps {
  file: OpenFile | null;
  state: FileState;
}

/** The choice between the user's text and that of the disk. */
function Conflict({ file, state: { content, isComparing } }: ConflictProps) {
  const isGone = content?.problem !== "";
  return (
    <div
      role="alert"
      data-testid="file-conflict"
      className="flex flex-wrap items-center gap-2 bg-warn-bg px-3 py-1.5 text-xs"
    >
      <span className="selectable min-w-40 flex-1">
        {isComparing
          ? "Green is only in your text, red only in the file on the disk."
          : content?.problem || "The file changed on the disk while you edited it."}
      </span>
      {isGone ? null : (
        <Button data-testid="file-compare" onClick={() => file?.compare(!isComparing)}>
          {isComparing ? "End comparison" : "Compare"}
        </Button>
      )}
      <Button data-testid="file-take" onClick={() => file?.takeDisk()}>
        {isGone ? "Give up my text" : "Take the file’s text"}
      </Button>
      <Button data-testid="file-keep" onClick={() => void file?.save()}>
        Save mine instead
      </Button>
    </div>
  );
}

/** The file of a pane, and its state. */
function useFile(pane: PaneInfo) {
  const app = useApp();
  const host = useRef<HTMLDivElement>(null);
  const file = useRef<OpenFile | null>(null);
  const [state, setState] = useState(initialFile);
  const { content } = state;
  const wanted = useAppState((s) => s.fileLine);

  useEffect(() => {
    if (!host.current) return;
    const opened = new OpenFile(app, pane, host.current, setState);
    file.current = opened;
    return () => {
      opened.close();
      file.current = null;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the object of a pane is a new one with each event
  }, [app, pane.id, pane.title]);

  const isLoaded = content !== null;
  useEffect(() => {
    if (!isLoaded || wanted?.pane !== pane.id) return;
    if (wanted.line > 0) file.current?.editor.goTo(wanted.line);
    app.set({ fileLine: null });
  }, [app, isLoaded, wanted, pane.id]);

  return { host, file, state };
}

/** The keys of a file. */
function onFileKey(e: React.KeyboardEvent, file: OpenFile | null, { content, isEditing, isConflict }: FileState) {
  const isPlain = !e.ctrlKey && !e.altKey && !e.metaKey;
  const inField = e.target instanceof HTMLInputElement;
  const isChanged = file?.editor.isChanged ?? false;
  if (e.code === "KeyS" && e.ctrlKey && !e.shiftKey && isEditing) {
    e.preventDefault();
    // The user has to choose between two texts.
    if (isConflict) e.currentTarget.querySelector<HTMLElement>("[data-testid=file-take]")?.focus();
    else if (isChanged) void file?.save();
  } else if (e.code === "KeyE" && isPlain && !isEditing && !inField && content && !content.readOnly) {
    e.preventDefault();
    file?.edit(true);
  } else if (e.code === "KeyZ" && e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
    e.preventDefault();
    file?.toggleWrap();
  } else if (e.code === "Escape" && isEditing && !inField && !isChanged) {
    e.preventDefault();
    file?.edit(false);
  }
}
