import type { Problem, Settings } from "@/bridge/types";
import { useModels } from "@/connect/models";
import { useAppState } from "@/store/context";
import { Caption } from "@/ui/caption";
import { Select } from "@/ui/input";
import { Row } from "./rows";

type RoleKey =
  "chat_model" | "critic_model" | "judge_model" | "review_model" | "vision_model" | "summary_model" | "fallback_model";

const roles: readonly { key: RoleKey; title: string; text: string; none: string }[] = [
  { key: "chat_model", title: "Chat", text: "Answers in the chat panel", none: "Same as goals" },
  {
    key: "critic_model",
    title: "Critic",
    text: "Looks at the last steps, and says when a goal is stuck",
    none: "Same as the goal",
  },
  { key: "judge_model", title: "Judge", text: "Decides the checks that no program can", none: "Same as the goal" },
  { key: "review_model", title: "Reviewer", text: "Reviews claims whose checks passed", none: "Same as the judge" },
  { key: "vision_model", title: "Pictures", text: "Decides what a page looks like", none: "Same as the judge" },
  { key: "summary_model", title: "Summaries", text: "Shortens long conversations", none: "Same as the goal" },
  {
    key: "fallback_model",
    title: "If a goal's model is away",
    text: "Takes its turns while it does not answer or its quota is used up",
    none: "Wait for it",
  },
];

interface Props {
  settings: Settings;
  save: (part: Partial<Settings>) => Promise<Problem | null>;
}

/** Which model does what a goal or a chat does not name one for. */
export function ModelRoles({ settings, save }: Props) {
  const providers = useAppState((s) => s.providers).filter((p) => !p.scripted);
  const models = useModels(providers);
  if (providers.length === 0) return null;
  return (
    <>
      <Caption as="h2" className="mb-2">
        Which model does what
      </Caption>
      <div className="mb-7 rounded-lg border border-border bg-surface">
        {roles.map(({ key, title, text, none }) => {
          const value = settings[key];
          const names = models.map((m) => m.name);
          return (
            <Row key={key} title={title} text={text}>
              <Select
                className="w-56"
                data-testid={`role-${key}`}
                aria-label={title}
                value={value}
                onChange={(e) => void save({ [key]: e.target.value })}
              >
                <option value="">{none}</option>
                {(value === "" || names.includes(value) ? names : [value, ...names]).map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </Select>
            </Row>
          );
        })}
      </div>
    </>
  );
}
