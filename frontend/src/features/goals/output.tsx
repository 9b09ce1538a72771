import { useEffect, useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { asProblem } from "@/bridge/problem";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

interface OutputDialogProps {
  sha256: string;
  title: string;
  onClose: () => void;
}

/** The whole output that a check was decided on. */
export function OutputDialog({ sha256, title, onClose }: OutputDialogProps) {
  const app = useApp();
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let stale = false;
    app.bridge
      .call("GoalAPI.Output", sha256)
      .then((t) => !stale && setText(t))
      .catch((reason: unknown) => !stale && setError(asProblem(reason).message));
    return () => {
      stale = true;
    };
  }, [app, sha256]);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      className="w-[860px]"
      testid="output-dialog"
      description="Full output of the check"
      footer={
        <>
          <span className="min-w-0 flex-1 truncate font-mono text-2xs text-text-faint">sha256 {sha256}</span>
          <Button onClick={() => void writeClipboard(text ?? "")} disabled={!text}>
            Copy
          </Button>
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {error ? <p className="text-bad">{error}</p> : null}
      <pre className="font-mono text-xs break-words whitespace-pre-wrap" data-testid="output-text">
        {text ?? (error ? "" : "…")}
      </pre>
    </Dialog>
  );
}
