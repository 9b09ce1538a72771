import type { GoalView, PaneInfo } from "@/bridge/types";
import { shortPath } from "@/lib/text";
import { chatFolder } from "@/store/chatfolder";
import { attachment } from "@/store/chatactions";
import { isLive } from "@/store/goalcards";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { ChatIcon } from "@/ui/icons";

/** Three questions that fit what has the focus. */
function examples(pane: PaneInfo | undefined, goal: GoalView | null, folder: string): string[] {
  const ofFolder = ["Explain how this folder is organised", "Which commands build and test this project?"];
  if (pane?.kind === "browser") {
    return ["Summarise this page", "What on this page looks wrong?", "Which of our files makes this page?"];
  }
  if (goal && isLive(goal)) {
    return ["What is the goal doing now?", "Why does its check still fail?", "What has it changed so far?"];
  }
  if (pane?.kind === "terminal") {
    return [
      "Why did the last command fail?",
      "Explain the output of this terminal",
      ...ofFolder.slice(folder ? 1 : 0, 2),
    ].slice(0, 3);
  }
  return [...ofFolder, "Where would I change the start page?"];
}

/** A new chat: what it is for, with examples to begin with. */
export function EmptyChat() {
  const app = useApp();
  const folder = useAppState(chatFolder);
  const pane = useAppState((s) => s.panes.panes.find((p) => p.id === s.activePane));
  const goal = useAppState((s) => s.detail.view);
  const ask = (text: string) => {
    if (goal && isLive(goal) && pane === undefined) {
      app.chat.attach(attachment({ kind: "goal", title: goal.objective, goal_id: goal.id }));
    }
    app.chat.draft({ text });
    void app.chat.send();
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col justify-end overflow-y-auto px-4 pb-3">
      <div className="mx-auto flex w-full max-w-96 flex-1 flex-col items-center justify-center py-6 text-center">
        <ChatIcon size={22} className="text-accent" />
        <p className="mt-2.5 text-sm font-semibold">Ask about this workspace</p>
        <p className="mt-1 text-xs text-text-muted">
          A chat reads {folder ? shortPath(folder) : "the folder"} and what you attach. It changes nothing: to make
          changes, turn it into a goal.
        </p>
      </div>
      <ul className="flex flex-col gap-1.5" aria-label="Examples">
        {examples(pane, goal, folder).map((text) => (
          <li key={text}>
            <Button className="w-full justify-start" data-testid="chat-example" onClick={() => ask(text)}>
              <span className="truncate">{text}</span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** No model can answer. */
export function NoModel() {
  const app = useApp();
  return (
    <div
      className="flex min-h-0 flex-1 flex-col items-center justify-center gap-3 px-6 text-center"
      data-testid="chat-no-model"
    >
      <ChatIcon size={22} className="text-text-faint" />
      <p className="text-sm font-semibold">No model is connected</p>
      <p className="max-w-72 text-xs text-text-muted">
        A chat needs a model: one on this computer, or one of a provider.
      </p>
      <Button look="primary" data-testid="chat-connect" onClick={() => app.providers.openConnect({ preset: "" })}>
        Connect a model
      </Button>
    </div>
  );
}
