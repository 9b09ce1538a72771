import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

/** Asks before an action that cannot be undone. */
export function ConfirmDialog() {
  const app = useApp();
  const question = useAppState((s) => s.question);
  if (!question) return null;
  const { other } = question;
  const close = () => app.set({ question: null });
  const cancel = () => {
    close();
    question.cancel?.();
  };
  return (
    <Dialog
      open
      onClose={cancel}
      title={question.title}
      testid="question"
      className="top-[22vh] w-[440px]"
      description={question.text}
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" data-testid="question-no" onClick={cancel}>
            Cancel
          </Button>
          {other ? (
            <Button
              data-testid="question-other"
              onClick={() => {
                close();
                void other.run();
              }}
            >
              {other.label}
            </Button>
          ) : null}
          <Button
            look={question.danger ? "danger" : "primary"}
            data-testid="question-yes"
            onClick={() => {
              close();
              void question.run();
            }}
          >
            {question.yes}
          </Button>
        </>
      }
    >
      <p className="text-text-muted">{question.text}</p>
    </Dialog>
  );
}
