import { useState } from "react";
import type { RecipeEntry } from "@/bridge/types";
import { plural, stripControl } from "@/lib/text";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";

/** The steps that agents saved to repeat them. */
export function Recipes() {
  const app = useApp();
  const { answer, reload } = useAnswer("LibraryAPI.Recipes");
  const restore = async (name: string) => {
    if (await app.ask("LibraryAPI.RestoreRecipe", name)) await reload();
  };
  const remove = async ({ name }: RecipeEntry) => {
    if (!(await app.ask("LibraryAPI.DeleteRecipe", name))) return;
    await reload();
    app.notices.done(`${name} is deleted`, { label: "Undo", run: () => void restore(name) });
  };
  return (
    <div>
      <Caption as="h2" className="mb-2">
        Recipes
      </Caption>
      <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="library-recipe">
        {(answer ?? []).map((r) => (
          <RecipeRow key={r.name} recipe={r} onDelete={() => void remove(r)} />
        ))}
        {answer?.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            No recipes yet. An agent saves steps as one when it will need them again.
          </li>
        ) : null}
      </ul>
    </div>
  );
}

function RecipeRow({ recipe: r, onDelete }: { recipe: RecipeEntry; onDelete: () => void }) {
  const [open, setOpen] = useState(false);
  const parameters = (r.parameters ?? []).map((p) => p.name);
  const tools = r.tools ?? [];
  return (
    <li className="border-b border-border px-4 py-2.5 last:border-b-0" data-testid="recipe" data-id={r.name}>
      <div className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1 max-[640px]:basis-full">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {r.name}
            {r.problem ? <Badge tone="bad">cannot be used</Badge> : null}
          </p>
          {r.problem ? (
            <p className="text-xs break-words text-bad">{stripControl(r.problem)}</p>
          ) : (
            <>
              <p className="selectable text-xs break-words text-text-faint">{stripControl(r.description)}</p>
              <p className="text-xs break-words text-text-faint">
                {plural(tools.length, "step")}: {stripControl([...new Set(tools)].join(", "))}
                {parameters.length > 0 ? ` · needs ${stripControl(parameters.join(", "))}` : ""}
              </p>
            </>
          )}
        </div>
        {r.problem ? null : (
          <Button look="quiet" data-testid="recipe-show" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide text" : "Show text"}
          </Button>
        )}
        <Button look="quiet" data-testid="recipe-delete" onClick={onDelete}>
          Delete
        </Button>
      </div>
      {open ? (
        <pre className="selectable mt-2 max-h-80 overflow-auto rounded-md bg-bg p-3 font-mono text-xs whitespace-pre-wrap">
          {stripControl(r.text)}
        </pre>
      ) : null}
    </li>
  );
}
