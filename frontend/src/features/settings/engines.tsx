import { useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { EngineTest, EngineView, Problem } from "@/bridge/types";
import { clock } from "@/lib/time";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";

/** The engines: Goalpost's own loop, and the external agents on this computer. Nothing is downloaded. */
export function Engines() {
  const app = useApp();
  const { answer, reload } = useAnswer("EngineAPI.List");
  const use = async (id: string) => {
    if (await app.ask("EngineAPI.Use", id)) await reload();
  };
  return (
    <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="engines">
      {(answer ?? []).map((e) => (
        <EngineRow key={e.id} engine={e} onUse={() => void use(e.id)} />
      ))}
    </ul>
  );
}

type TestState =
  | { state: "idle" }
  | { state: "running" }
  | { state: "done"; test: EngineTest }
  | { state: "refused"; problem: Problem };

function EngineRow({ engine, onUse }: { engine: EngineView; onUse: () => void }) {
  const app = useApp();
  const [test, setTest] = useState<TestState>({ state: "idle" });
  const isAgent = engine.install !== "";
  const isInstalled = !isAgent || engine.path !== "";
  const run = async () => {
    setTest({ state: "running" });
    try {
      setTest({ state: "done", test: await app.bridge.call("EngineAPI.Test", engine.id) });
    } catch (reason) {
      setTest({ state: "refused", problem: asProblem(reason) });
    }
  };
  return (
    <li
      className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-border px-4 py-2.5 last:border-b-0"
      data-testid="engine"
      data-id={engine.id}
    >
      <div className="min-w-0 flex-1 max-[640px]:basis-full">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {engine.name}
          {engine.version ? <span className="text-xs text-text-faint">{engine.version}</span> : null}
          {engine.default ? <Badge tone="accent">default</Badge> : null}
          {isAgent && isInstalled ? (
            <Badge tone={engine.tested ? "ok" : "warn"}>
              {engine.tested ? "tested version" : "version not tested"}
            </Badge>
          ) : null}
          {isInstalled ? null : <Badge tone="calm">not installed</Badge>}
        </p>
        <p className="selectable text-xs break-words text-text-faint">
          {engine.credentials}
          {engine.licence ? ` Licence: ${engine.licence}.` : ""}
          {engine.path ? ` ${engine.path}` : ""}
        </p>
        {isInstalled ? null : (
          <p className="mt-1 text-xs text-text-muted" data-testid="engine-install">
            Install it yourself: <code className="selectable font-mono">{engine.install}</code>
          </p>
        )}
        <TestResult test={test} />
      </div>
      {isAgent && isInstalled ? (
        <Button
          data-testid="engine-test"
          disabled={test.state === "running"}
          title="Lets it write one file in an empty folder, with your default model"
          onClick={() => void run()}
        >
          {test.state === "running" ? "Testing…" : "Test"}
        </Button>
      ) : null}
      {isInstalled && !engine.default ? (
        <Button data-testid="engine-use" onClick={onUse}>
          Make default
        </Button>
      ) : null}
    </li>
  );
}

function TestResult({ test }: { test: TestState }) {
  if (test.state === "refused") {
    return (
      <p role="alert" className="mt-1 text-xs text-bad" data-testid="engine-refused">
        {test.problem.message} <span className="text-text-muted">{test.problem.hint}</span>
      </p>
    );
  }
  if (test.state !== "done") return null;
  return (
    <div className="mt-1 text-xs" data-testid="engine-result" data-ok={test.test.ok} role="status">
      <ul>
        {test.test.stages?.map((s) => (
          <li key={s.name} className={s.ok ? "text-ok" : "text-bad"}>
            {s.ok ? "✓" : "✗"} {s.name}
            {s.detail ? <span className="selectable text-text-muted"> {s.detail}</span> : null}
          </li>
        ))}
        <li className="text-text-faint">{clock(test.test.ms)}</li>
      </ul>
    </div>
  );
}
