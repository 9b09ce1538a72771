import { ReconnectingSocket, type Dial } from "./socket";
import type { ChatUpdate, GoalEvent, PaneEvent } from "./types";

export interface EventHandlers {
  /** Called when no event is missed from now until `down`, so that the snapshots can be loaded. */
  hello: () => void;
  goal: (event: GoalEvent) => void;
  pane: (event: PaneEvent) => void;
  /** Called when the settings are others than before. */
  settings?: () => void;
  /** Called when schedules or their runs have changed. */
  schedules?: () => void;
  chat?: (event: ChatUpdate) => void;
  down: (code: number) => void;
}

/** A running subscription. */
export interface Closer {
  close(): void;
}

function isChatUpdate(event: GoalEvent | ChatUpdate): event is ChatUpdate {
  return event.type === "chat" || event.type.startsWith("chat_");
}

/** The subscription of a page. */
export interface EventLink extends Closer {
  /** Tells the program which goal the user looks at, "" for none: it shows no notifications about that goal. */
  looksAt(goal: string): void;
}

export function openEvents(dial: Dial, on: EventHandlers): EventLink {
  let looked = "";
  const socket = new ReconnectingSocket(dial, () => "/v1/events", {
    open: () => looked && socket.send({ t: "looks", goal: looked }),
    text: (message) => {
      const event = message as
        GoalEvent | PaneEvent | ChatUpdate | { type: "hello" } | { type: "settings" } | { type: "schedules" };
      if (event.type === "hello") on.hello();
      else if (event.type === "settings") on.settings?.();
      else if (event.type === "schedules") on.schedules?.();
      else if (event.type === "pane") on.pane(event);
      else if (isChatUpdate(event)) on.chat?.(event);
      else if (typeof event.goal_id === "string") on.goal(event);
    },
    down: (code) => on.down(code),
  });
  return {
    close: () => socket.close(),
    looksAt: (goal) => {
      if (goal === looked) return;
      looked = goal;
      socket.send({ t: "looks", goal });
    },
  };
}
