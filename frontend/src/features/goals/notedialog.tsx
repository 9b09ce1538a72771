import { useState } from "react";
import { useApp, useAppState } from "@/store/context";
import { Button, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { TextArea } from "@/ui/input";

/** A note for the agent of the selected goal. */
export function NoteDialog() {
  const app = useApp();
  const open = useAppState((s) => s.steerOpen && s.detail.view !== null);
  const goal = useAppState((s) => s.detail.id);
  const objective = useAppState((s) => s.detail.view?.objective ?? "");
  const [text, setText] = useState("");
  const close = () => app.set({ steerOpen: false });
  const send = async () => {
    if (!text.trim()) return;
    if (!(await app.goals.steer(goal, text.trim()))) return;
    setText("");
    close();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Send a note"
      testid="steer-dialog"
      help="guide/approvals"
      className="w-[520px]"
      description="Send a note that the agent reads before its next turn"
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">
            The agent reads it before its next turn. Checks are unchanged.
          </span>
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
          <Button look="primary" data-testid="steer-send" disabled={!text.trim()} onClick={() => void send()}>
            Send <Kbd onAccent>Ctrl↵</Kbd>
          </Button>
        </>
      }
    >
      <p className="mb-2 line-clamp-2 text-xs text-text-faint">{objective}</p>
      <TextArea
        data-testid="steer-text"
        aria-label="Note for the agent"
        rows={4}
        className="resize-y"
        placeholder="Leave the styles alone; the total is wrong in cart.ts"
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) void send();
        }}
      />
    </Dialog>
  );
}
