import { useState, type ReactNode } from "react";
import { asProblem } from "@/bridge/problem";
import type { Call } from "@/bridge/methods";
import type { DatabaseCopy, DatabaseProblem as Problem } from "@/bridge/types";
import { Button } from "@/ui/button";
import { Mark } from "@/ui/icons";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const formatCopy = (at: string) => when.format(new Date(at));

type Replace = (work: () => Promise<string>) => void;

/** Shown by the window instead of everything else while the database cannot be read. */
export function DatabaseProblem({ problem, call }: { problem: Problem; call: Call }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const [kept, setKept] = useState<string | null>(null);
  const replace: Replace = (work) => {
    setBusy(true);
    setFailure("");
    work()
      .then(setKept, (reason: unknown) => {
        const { message, hint } = asProblem(reason);
        setFailure(hint ? `${message}: ${hint}` : message);
      })
      .finally(() => setBusy(false));
  };
  if (kept !== null) {
    return (
      <Page title="The database can be used again">
        <Line>{kept ? `The former file is kept: ${kept}` : "There was no former file."}</Line>
        <Restart call={call}>Open Goalpost</Restart>
      </Page>
    );
  }
  return (
    <Page title={problem.other_version ? "An older or newer Goalpost is still running" : "The goals cannot be read"}>
      <Line>{problem.message}</Line>
      {problem.hint ? <Line>{problem.hint}</Line> : null}
      {failure ? <Line bad>{failure}</Line> : null}
      {problem.damaged ? (
        <WaysOut copies={problem.copies ?? []} busy={busy} replace={replace} call={call} />
      ) : (
        <div className="flex gap-2">
          <Restart call={call}>{problem.other_version ? "End it and open this one" : "Try again"}</Restart>
          {problem.can_wait ? (
            <Button data-testid="later" onClick={() => void call("DatabaseAPI.Later")}>
              Later
            </Button>
          ) : null}
        </div>
      )}
      {problem.can_wait ? (
        <p className="max-w-lg text-center text-xs text-text-faint">
          If you end it, its goals pause and can be resumed, and terminals open again with what they showed. Later opens
          the window as it was; the status bar restarts it when you want.
        </p>
      ) : null}
    </Page>
  );
}

function Page({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div
      className="flex h-full flex-col items-center justify-center gap-3 p-6"
      role="alert"
      data-testid="database-problem"
    >
      <Mark size={32} />
      <h1 className="text-base font-semibold">{title}</h1>
      {children}
    </div>
  );
}

function Line({ children, bad = false }: { children: ReactNode; bad?: boolean }) {
  return (
    <p className={`selectable max-w-lg text-center break-words ${bad ? "text-bad" : "text-text-muted"}`}>{children}</p>
  );
}

function Restart({ call, children }: { call: Call; children: ReactNode }) {
  return (
    <Button look="primary" data-testid="restart" onClick={() => void call("DatabaseAPI.Restart")}>
      {children}
    </Button>
  );
}

interface WaysOutProps {
  copies: DatabaseCopy[];
  busy: boolean;
  replace: Replace;
  call: Call;
}

function WaysOut({ copies, busy, replace, call }: WaysOutProps) {
  const [chosen, choose] = useState(copies[0]?.at ?? "");
  return (
    <>
      {copies.length > 1 ? (
        <select
          aria-label="Copy"
          className="h-7 rounded-md border border-border-strong bg-surface-raised px-2 text-xs"
          value={chosen}
          onChange={(e) => choose(e.target.value)}
        >
          {copies.map((c) => (
            <option key={c.at} value={c.at}>
              {formatCopy(c.at)}
            </option>
          ))}
        </select>
      ) : null}
      {chosen ? (
        <Button
          look="primary"
          data-testid="restore"
          disabled={busy}
          onClick={() => replace(() => call("DatabaseAPI.Restore", chosen))}
        >
          Restore the copy of {formatCopy(chosen)}
        </Button>
      ) : null}
      <Button data-testid="start-anew" disabled={busy} onClick={() => replace(() => call("DatabaseAPI.StartAnew"))}>
        Start anew
      </Button>
      <p className="max-w-lg text-center text-xs text-text-faint">
        {chosen
          ? "Both keep the present file. Goals that are newer than the copy are listed again without their journals."
          : "The present file is kept."}{" "}
        What goals changed can still be undone with goalctl undo.
      </p>
    </>
  );
}
