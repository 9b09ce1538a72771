import type { Problem, Settings } from "@/bridge/types";
import { useModels } from "@/connect/models";
import { useAppState } from "@/store/context";
import { Caption } from "@/ui/caption";
import { Select } from "@/ui/input";
import { modelRoles } from "./pages";
import { Row } from "./rows";

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
        {modelRoles.map(({ key, title, text, none }) => {
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
