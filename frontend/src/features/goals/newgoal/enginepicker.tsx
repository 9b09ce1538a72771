import type { EngineLogin, EngineView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import type { AdvancedProps } from "./advancedprops";
import type { Draft } from "./draft";
import type { FieldError } from "./errors";

/** The id of Goalpost's own loop. */
export const ownLoop = "model";

/** The engine of the goal: Goalpost's own loop, or an external agent on this computer. */
export function EnginePicker({ draft, set, errors }: AdvancedProps) {
  const { answer } = useAnswer("EngineAPI.List");
  const isScripted = useAppState((s) => s.providers.some((p) => p.id === draft.model && p.scripted));
  const engines = answer ?? [];
  if (engines.length < 2) return null;
  const chosen = effectiveEngine(engines, draft);
  return (
    <div>
      <p className="mb-1.5 text-xs font-medium">Engine</p>
      <div role="radiogroup" aria-label="Engine" className="inline-flex flex-wrap rounded-md bg-surface-hover p-0.5">
        {engines.map((e) => {
          const why = e.id === ownLoop ? "" : whyNot(e, draft.unconfined, isScripted);
          return (
            <label
              key={e.id}
              data-testid={`engine-${e.id}`}
              title={why}
              className={cx(
                "relative rounded-sm px-3 py-1 text-xs font-medium text-text-muted",
                "has-checked:bg-surface has-checked:text-text has-focus-visible:outline-2",
                "has-focus-visible:outline-accent",
                why && chosen?.id !== e.id ? "cursor-default opacity-60" : "cursor-pointer",
              )}
            >
              <input
                type="radio"
                name="engine"
                className="sr-only"
                disabled={why !== "" && chosen?.id !== e.id}
                checked={chosen?.id === e.id}
                onChange={() => set({ engine: e.id, engine_login: false })}
              />
              {e.id === ownLoop ? "Model" : e.name}
            </label>
          );
        })}
      </div>
      {chosen && chosen.id !== ownLoop ? <Chosen engine={chosen} ownLogin={draft.engine_login ?? false} /> : null}
      {chosen?.login ? (
        <Login
          engine={chosen}
          login={chosen.login}
          checked={draft.engine_login ?? false}
          error={errors.engine_login}
          onChange={(engine_login) => set({ engine: chosen.id, engine_login })}
        />
      ) : null}
      {errors.engine ? (
        <p role="alert" data-testid="error-engine" className="mt-1 text-xs text-bad">
          {errors.engine.message} <span className="text-text-muted">· {errors.engine.hint}</span>
        </p>
      ) : null}
    </div>
  );
}

/** The goal's engine: the user's choice, or the setting if that agent can run. */
export function effectiveEngine(engines: readonly EngineView[], draft: Draft): EngineView | undefined {
  if (draft.engine) return engines.find((e) => e.id === draft.engine);
  const usual = engines.find((e) => e.default);
  return draft.unconfined ? engines.find((e) => e.id === ownLoop) : usual;
}

function whyNot(e: EngineView, unconfined: boolean, scripted: boolean): string {
  if (e.path === "") return `Not installed. Install it with: ${e.install}`;
  if (unconfined) return `${e.name} runs only in the sandbox`;
  if (scripted) return "The demonstration has an engine of its own";
  return "";
}

interface LoginProps {
  engine: EngineView;
  login: EngineLogin;
  checked: boolean;
  error: FieldError | undefined;
  onChange: (checked: boolean) => void;
}

/** Lets the agent use the sign-in that it has on this computer, and says what the goal gives up then. */
function Login({ engine, login, checked, error, onChange }: LoginProps) {
  const problem = error?.message ?? (login.problem ? `${engine.name}: ${login.problem}` : "");
  return (
    <div className="mt-2 text-xs">
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          data-testid="field-engine-login"
          className="mt-0.5 accent-(--accent)"
          checked={checked}
          onChange={(e) => onChange(e.target.checked)}
        />
        <span>
          Use its own sign-in on this computer, such as a subscription
          {checked ? (
            <span data-testid="engine-login-lost" className="mt-1 block text-warn">
              {login.lost}
            </span>
          ) : null}
        </span>
      </label>
      {checked && problem ? <SignIn login={login} problem={problem} /> : null}
    </div>
  );
}

/** Says why a sign-in cannot be used, and opens a terminal with the command that signs in. */
function SignIn({ login, problem }: { login: EngineLogin; problem: string }) {
  const app = useApp();
  return (
    <p role="alert" data-testid="error-engine_login" className="mt-1 text-bad">
      {problem}{" "}
      <span className="text-text-muted">
        · {login.advice}{" "}
        <Button
          look="quiet"
          data-testid="engine-sign-in"
          title="Your draft is kept. The command is typed; press Enter to run it"
          onClick={() => {
            app.closeNewGoal();
            void app.panes.openTerminal("", login.command);
          }}
        >
          Open a terminal
        </Button>
      </span>
    </p>
  );
}

function Chosen({ engine, ownLogin }: { engine: EngineView; ownLogin: boolean }) {
  return (
    <p className="mt-1 text-xs text-text-muted" data-testid="engine-note">
      {engine.name} {engine.version} works inside the goal&apos;s sandbox.{" "}
      {ownLogin ? "It asks its own provider." : engine.credentials}
      {engine.path === "" ? (
        <span className="text-bad"> It is not installed: {engine.install}</span>
      ) : engine.tested ? null : (
        <span className="text-warn"> This version was not tested with Goalpost.</span>
      )}
    </p>
  );
}
