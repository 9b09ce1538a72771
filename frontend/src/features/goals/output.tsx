import { writeClipboard } from "@/bridge/clipboard";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

interface OutputDialogProps {
  sha256: string;
  title: string;
  onClose: () => void;
}

/** The complete output of a check. */
export function OutputDialog({ sha256, title, onClose }: OutputDialogProps) {
  const { answer: text, problem } = useCall("GoalAPI.Output", sha256);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      className="w-[860px]"
      testid="output-dialog"
      help="guide/checks"
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
      {problem ? <p className="text-bad">{problem.message}</p> : null}
      <pre className="font-mono text-xs break-words whitespace-pre-wrap" data-testid="output-text">
        {text ?? (problem ? "" : "…")}
      </pre>
    </Dialog>
  );
}
