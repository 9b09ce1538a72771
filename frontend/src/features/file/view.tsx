import { useEffect, useRef, useState } from "react";
import type { FileContent } from "@/bridge/file";
import { asProblem } from "@/bridge/problem";
import type { PaneInfo } from "@/bridge/types";
import { shortPath, stripControl } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { SearchIcon } from "@/ui/icons";
import { FileEditor } from "./editor";

interface FileViewProps {
  pane: PaneInfo;
  active: boolean;
}

/** A text file in a pane: to read, and to edit with a key. */
export function FileView({ pane, active }: FileViewProps) {
  const file = useFile(pane);
  const { content, isEditing, isChanged, conflict } = file;
  useEffect(() => {
    if (active) file.focus();
    // oxlint-disable-next-line react/exhaustive-deps -- when the pane becomes the active one
  }, [active]);
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
      onKeyDown={(e) => file.onKey(e)}
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
            not saved
          </Badge>
        ) : null}
        {file.changedLine > 0 && !isChanged ? (
          <Button look="quiet" data-testid="file-changed" onClick={file.showChange}>
            Changed · show line {file.changedLine}
          </Button>
        ) : null}
        <span className="flex-1" />
        <IconButton label="Search (Ctrl+F)" data-testid="file-search" disabled={!content} onClick={file.search}>
          <SearchIcon size={14} />
        </IconButton>
        {isEditing ? (
          <>
            <Button look="quiet" data-testid="file-stop" onClick={file.stop}>
              {isChanged ? "Discard" : "Stop editing"}
            </Button>
            <Button look="primary" data-testid="file-save" disabled={!isChanged} onClick={() => void file.save()}>
              Save
            </Button>
          </>
        ) : (
          <Button
            data-testid="file-edit"
            disabled={!content || content.problem !== "" || content.readOnly}
            title={content?.readOnly ? "You may not write this file" : "Edit (E)"}
            onClick={file.edit}
          >
            {content?.readOnly ? "Read-only" : "Edit"}
          </Button>
        )}
      </div>
      {conflict ? (
        <div
          role="alert"
          data-testid="file-conflict"
          className="flex items-center gap-2 bg-warn-bg px-3 py-1.5 text-xs"
        >
          <span className="flex-1">The file changed on the disk while you edited it.</span>
          <Button data-testid="file-take" onClick={file.take}>
            Take the file’s text
          </Button>
          <Button data-testid="file-keep" onClick={() => void file.save()}>
            Save mine instead
          </Button>
        </div>
      ) : null}
      {content?.problem ? (
        <p
          role="status"
          data-testid="file-problem"
          className="selectable px-4 py-6 text-center text-xs text-text-muted"
        >
          {content.problem}
        </p>
      ) : null}
      <div ref={file.host} className={`min-h-0 flex-1 overflow-clip ${content?.problem ? "hidden" : ""}`} />
    </div>
  );
}

/** The content of a file, what the user makes of it, and how that is saved. */
function useFile(pane: PaneInfo) {
  const app = useApp();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<FileEditor | null>(null);
  const [content, setContent] = useState<FileContent | null>(null);
  const [isEditing, setIsEditing] = useState(false);
  const [isChanged, setIsChanged] = useState(false);
  const [conflict, setConflict] = useState(false);
  const [changedLine, setChangedLine] = useState(0);
  const wanted = useAppState((s) => s.fileLine);
  /** What the disk has, and the version that the editor shows or was made of. */
  const disk = useRef<{ content: FileContent | null; shown: string }>({ content: null, shown: "" });

  useEffect(() => {
    if (!host.current) return;
    const e = new FileEditor(host.current, pane.title, { edited: () => setIsChanged(e.isChanged) });
    editor.current = e;
    disk.current = { content: null, shown: "" };
    const link = app.bridge.file(pane.id, {
      content: (c) => {
        const isFirst = disk.current.content === null;
        disk.current.content = c;
        setContent(c);
        if (c.problem) return;
        // The answer of a save may come after what it wrote.
        const isShown = c.version === disk.current.shown || (e.isChanged && c.text === e.text);
        if (e.isChanged && !isFirst) {
          setConflict(!isShown);
          return;
        }
        if (isShown) return;
        disk.current.shown = c.version;
        const line = e.load(c.text, isFirst);
        if (line > 0) setChangedLine(line);
      },
      link: () => undefined,
    });
    return () => {
      link.close();
      e.close();
      editor.current = null;
    };
  }, [app, pane.id, pane.title]);

  useEffect(() => {
    const { unsaved } = app.panes;
    if (isChanged) unsaved.add(pane.id);
    return () => void unsaved.delete(pane.id);
  }, [app, pane.id, isChanged]);

  const isLoaded = content !== null;
  useEffect(() => {
    if (!isLoaded || wanted?.pane !== pane.id) return;
    if (wanted.line > 0) editor.current?.goTo(wanted.line);
    app.set({ fileLine: null });
  }, [app, isLoaded, wanted, pane.id]);

  const settle = (text: string) => {
    editor.current?.load(text, false);
    editor.current?.noteSaved();
    setIsChanged(false);
    setConflict(false);
  };
  const write = async (text: string): Promise<boolean> => {
    try {
      const version = await app.bridge.call("FileAPI.Save", pane.id, text, disk.current.content?.version ?? "");
      disk.current.shown = version;
      if (disk.current.content) disk.current.content = { ...disk.current.content, text, version };
      return true;
    } catch (reason) {
      app.notices.problem(asProblem(reason));
      return false;
    }
  };
  const save = async () => {
    const e = editor.current;
    const before = disk.current.content?.text ?? "";
    if (!e) return;
    const { text } = e;
    if (!(await write(text))) return;
    e.noteSaved();
    setIsChanged(e.isChanged);
    setConflict(false);
    setChangedLine(0);
    const undo = async () => {
      if (await write(before)) settle(before);
    };
    app.notices.done(`Saved ${pane.title}`, { label: "Undo", run: () => void undo() });
  };
  const edit = () => {
    setIsEditing(true);
    editor.current?.edit(true);
  };
  const leave = () => {
    setIsEditing(false);
    editor.current?.edit(false);
  };
  const take = () => {
    disk.current.shown = disk.current.content?.version ?? "";
    settle(disk.current.content?.text ?? "");
  };
  const stop = () => {
    if (editor.current?.isChanged) take();
    leave();
  };
  const onKey = (e: React.KeyboardEvent) => {
    const isPlain = !e.ctrlKey && !e.altKey && !e.metaKey;
    const inField = e.target instanceof HTMLInputElement;
    if (e.code === "KeyS" && e.ctrlKey && !e.shiftKey && isEditing) {
      e.preventDefault();
      if (editor.current?.isChanged) void save();
    } else if (e.code === "KeyE" && isPlain && !isEditing && !inField && content && !content.readOnly) {
      e.preventDefault();
      edit();
    } else if (e.code === "Escape" && isEditing && !inField && !editor.current?.isChanged) {
      e.preventDefault();
      leave();
    }
  };
  return {
    host,
    content,
    isEditing,
    isChanged,
    conflict,
    changedLine,
    edit,
    save,
    stop,
    take,
    onKey,
    search: () => editor.current?.search(),
    showChange: () => {
      editor.current?.goTo(changedLine);
      setChangedLine(0);
    },
    focus: () => editor.current?.view.focus(),
  };
}
