import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";

/** What is wrong in settings.json, and the two ways out; nothing if it has no errors. */
export function FileProblems() {
  const app = useApp();
  const problems = useAppState((s) => s.settingsProblems);
  if (problems.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label="Errors in settings.json"
      data-testid="settings-problems"
      className="mb-5 rounded-lg border border-border bg-bad-bg px-4 py-3 text-xs"
    >
      <h2 className="font-semibold">
        settings.json has {problems.length === 1 ? "an error" : `${problems.length} errors`}. Until you correct it,
        nothing that you change here is saved.
      </h2>
      <ul className="my-2 flex flex-col gap-1.5">
        {problems.map((p) => (
          <li key={`${p.line}:${p.column} ${p.message}`} data-testid="settings-problem" className="selectable">
            <button
              type="button"
              className="underline underline-offset-2 hover:text-text"
              data-testid="settings-problem-line"
              onClick={() => void app.panes.openSettingsFile(p.line)}
            >
              Line {p.line}, column {p.column}
            </button>
            : {p.message}
            <span className="block text-text-muted">{p.hint}.</span>
          </li>
        ))}
      </ul>
      <Button data-testid="settings-move-aside" onClick={() => app.settings.moveFileAside()}>
        Move the file aside…
      </Button>
    </section>
  );
}
