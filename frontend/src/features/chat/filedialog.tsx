import { useState } from "react";
import { shortPath } from "@/lib/text";
import { attachment } from "@/store/chatactions";
import { useApp, useAppState } from "@/store/context";
import { useCall } from "@/store/usecall";
import { chatFolder } from "@/store/chatfolder";
import { Dialog } from "@/ui/dialog";
import { Input } from "@/ui/input";

const maxShown = 200;

/** Attaches files of the folder that the chat reads. */
export function FileDialog({ onClose }: { onClose: () => void }) {
  const app = useApp();
  const dir = useAppState(chatFolder);
  const { answer, problem } = useCall("WorkspaceAPI.Files", dir);
  const [query, setQuery] = useState("");
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (answer?.files ?? []).filter((f) => asked.every((word) => f.toLowerCase().includes(word)));
  const take = (path: string | undefined) => {
    if (path === undefined) return;
    app.chat.attach(attachment({ kind: "file", title: path, path: `${answer?.dir ?? dir}/${path}` }));
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Attach a file"
      help="guide/chat"
      testid="chat-files"
      className="w-[520px]"
      description={`Files of ${dir}`}
    >
      <Input
        data-testid="chat-file-search"
        aria-label="Search files"
        placeholder={`Search in ${shortPath(dir) || "the folder"}`}
        value={query}
        onChange={(e) => setQuery(e.target.value)}
        onKeyDown={(e) => {
          if (e.code === "Enter") take(found[0]);
        }}
      />
      {problem ? <p className="mt-2 text-xs text-bad">{problem.message}</p> : null}
      <ul className="mt-2 max-h-[50vh] overflow-y-auto">
        {found.slice(0, maxShown).map((path) => (
          <li key={path}>
            <button
              type="button"
              data-testid="chat-file"
              className="w-full truncate rounded-md px-2 py-1 text-left font-mono text-xs hover:bg-surface-hover"
              onClick={() => take(path)}
            >
              {path}
            </button>
          </li>
        ))}
      </ul>
      {answer && found.length === 0 ? <p className="px-2 text-xs text-text-faint">No file matches.</p> : null}
      {found.length > maxShown ? (
        <p className="px-2 text-xs text-text-faint">{found.length - maxShown} more: type a part of the name.</p>
      ) : null}
    </Dialog>
  );
}
