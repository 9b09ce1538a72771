import { useState } from "react";
import type { ProtectedFile } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";

/** The protected files that the user lets the agent change, as part of an answer. */
export function useUnprotect(goal: string) {
  const { answer } = useCall("GoalAPI.ProtectedState", goal);
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  return { paths: protectedPaths(answer?.files ?? []), open, setOpen, chosen, setChosen };
}

type UnprotectChoice = ReturnType<typeof useUnprotect>;

/** Opens the list of protected files. A goal without protected files has no such button. */
export function UnprotectButton({ choice }: { choice: UnprotectChoice }) {
  if (choice.open || choice.paths.length === 0) return null;
  return (
    <Button
      look="quiet"
      className="h-auto! min-h-7 shrink! text-left whitespace-normal!"
      data-testid="unprotect-open"
      onClick={() => choice.setOpen(true)}
    >
      Let the agent change a protected file…
    </Button>
  );
}

export function UnprotectFiles({ choice }: { choice: UnprotectChoice }) {
  const { paths, chosen, setChosen } = choice;
  if (!choice.open) return null;
  return (
    <fieldset className="mt-2">
      <legend className="text-text-muted">The agent may change these files from now on:</legend>
      <div className="mt-1 flex max-h-28 flex-col gap-0.5 overflow-y-auto">
        {paths.map((path) => (
          <label key={path} className="flex items-center gap-2">
            <input
              type="checkbox"
              data-testid="unprotect-file"
              data-path={path}
              className="accent-(--accent)"
              checked={chosen.includes(path)}
              onChange={(e) => setChosen(e.target.checked ? [...chosen, path] : chosen.filter((p) => p !== path))}
            />
            <span className="min-w-0 truncate font-mono">{stripControl(path)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** The existing files without duplicates. A pattern of forbidden names is not a file. */
function protectedPaths(files: ProtectedFile[]): string[] {
  return [...new Set(files.filter((f) => f.kind !== "appears").map((f) => f.path))];
}
