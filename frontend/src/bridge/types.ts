// The types of what crosses the bridge: those of Go, and the unions that Go has no type for.
import type { EventBodies, EventHeader } from "./types.gen";

export type * from "./types.gen";

/** One flat object for each event of a goal. */
export type GoalEvent = { [K in keyof EventBodies]: Event<K> & { goal_id: string } }[Exclude<
  keyof EventBodies,
  "pane" | "settings" | "schedules" | ChatEventName
>];

type ChatEventName = "chat" | "chat_message" | "chat_part" | "chat_delta";

/** The events of chats. */
export type ChatUpdate = { [K in ChatEventName]: Event<K> }[ChatEventName];

/** The event of a pane. */
export type PaneEvent = Event<"pane">;

type Event<K extends keyof EventBodies> = Omit<EventHeader, "type"> & { type: K } & EventBodies[K];
