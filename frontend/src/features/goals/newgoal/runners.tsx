import type { RunnerChoice } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Select } from "@/ui/input";
import { ownLoop } from "./enginepicker";

const maxRunners = 4;
const minRunners = 2;

/** The runners with which a race begins: the same model twice. */
export const firstRunners: readonly RunnerChoice[] = [
  { engine: ownLoop, model: "" },
  { engine: ownLoop, model: "" },
];

interface Option {
  value: string;
  label: string;
  disabled: boolean;
}

const valueOf = (r: RunnerChoice) => `${r.engine} ${r.model}`;

/** What can drive a runner: the model of each provider, and the external agents of this computer. */
function useOptions(): Option[] {
  const providers = useAppState((s) => s.providers);
  const { answer } = useAnswer("EngineAPI.List");
  const own = [{ value: `${ownLoop} `, label: "Goalpost · the model of the goal", disabled: false }];
  const models = providers
    .filter((p) => !p.scripted)
    .map((p) => ({
      value: `${ownLoop} ${p.id}`,
      label: `Goalpost · ${p.model} (${p.id})`,
      disabled: false,
    }));
  const agents = (answer ?? [])
    .filter((e) => e.id !== ownLoop)
    .flatMap((e) => {
      const label = e.path === "" ? `${e.name} (not installed: ${e.install})` : e.name;
      const own = { value: `${e.id} `, label, disabled: e.path === "" };
      if (!e.login || e.path === "") return [own];
      const isMissing = e.login.problem !== "";
      const signedIn = `${e.name} · its own sign-in${isMissing ? ` (${e.login.advice})` : ""}`;
      return [own, { value: `${e.id}:login `, label: signedIn, disabled: isMissing }];
    });
  return [...own, ...models, ...agents];
}

interface RunnersProps {
  runners: readonly RunnerChoice[];
  onChange: (runners: RunnerChoice[] | null) => void;
  error: string;
}

/** Chooses the runners of a race. */
export function Runners({ runners, onChange, error }: RunnersProps) {
  const options = useOptions();
  const put = (index: number, value: string) => {
    const [engine = "", model = ""] = value.split(" ");
    onChange(runners.map((r, i) => (i === index ? { engine, model } : r)));
  };
  return (
    <fieldset data-testid="runners" className="rounded-md border border-border px-3 pt-2 pb-3">
      <legend className="px-1 text-xs font-medium">Race</legend>
      <p className="mb-2 text-xs text-text-muted">
        Each runner gets its own copy of the folder, with the same checks and limits. You take one that passed.
      </p>
      <div className="flex flex-col gap-2">
        {runners.map((r, i) => (
          // The place of a runner is all that tells it from another one.
          <div key={i} className="flex items-center gap-2">
            <Select
              data-testid={`runner-${i + 1}`}
              aria-label={`Runner ${i + 1}`}
              className="min-w-0 flex-1"
              value={valueOf(r)}
              onChange={(e) => put(i, e.target.value)}
            >
              {options.map((o) => (
                <option key={o.value} value={o.value} disabled={o.disabled}>
                  {o.label}
                </option>
              ))}
            </Select>
            <Button
              look="quiet"
              aria-label={`Remove runner ${i + 1}`}
              disabled={runners.length <= minRunners}
              onClick={() => onChange(runners.filter((_, at) => at !== i))}
            >
              Remove
            </Button>
          </div>
        ))}
      </div>
      <div className="mt-2 flex items-center gap-2">
        <Button
          data-testid="runner-add"
          disabled={runners.length >= maxRunners}
          onClick={() => onChange([...runners, { engine: ownLoop, model: "" }])}
        >
          Add a runner
        </Button>
        <Button look="quiet" data-testid="race-off" onClick={() => onChange(null)}>
          No race
        </Button>
      </div>
      {error ? (
        <p role="alert" data-testid="error-runners" className="mt-2 text-xs text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
