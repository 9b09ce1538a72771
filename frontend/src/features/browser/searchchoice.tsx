import { useState } from "react";
import type { Problem } from "@/bridge/types";
import { noSearch, searchEngines } from "@/lib/searchengines";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";

interface SearchChoiceProps {
  /** The text that the user typed into the address bar. */
  words: string;
  /** Called when an engine is set. */
  onChosen: () => void;
  onClose: () => void;
}

/** Asks for the search engine before the first search. Nothing has been sent to anyone yet. */
export function SearchChoice({ words, onChosen, onClose }: SearchChoiceProps) {
  const app = useApp();
  const [engine, setEngine] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);

  const save = async () => {
    const refused = await app.settings.save({ search_page: engine }, { silent: true });
    setProblem(refused);
    if (refused) return;
    if (engine === noSearch) onClose();
    else onChosen();
  };

  return (
    <Dialog
      open
      onClose={onClose}
      title="Choose a search engine"
      description="For words in the address bar"
      testid="search-choice"
      help="guide/browser"
      className="w-[440px]"
      footer={
        <>
          <span className="flex-1" />
          <Button look="quiet" data-testid="search-cancel" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid="search-save" disabled={!engine} onClick={() => void save()}>
            {engine === noSearch ? "Save" : "Save and search"}
          </Button>
        </>
      }
    >
      <p className="text-xs text-text-muted">
        “{words}” is not an address. Words that you enter in the address bar are sent to the search engine that you
        choose, with the cookies that it has in this profile. Addresses are not sent to it, and nothing is sent while
        you type. You can change this in the settings, under Pages.
      </p>
      <div role="radiogroup" aria-label="Search engine" className="mt-3 flex flex-col gap-1">
        {[...searchEngines, { name: "None: do not search from the address bar", address: noSearch }].map((e) => (
          <label
            key={e.address}
            className="flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 hover:bg-surface-hover"
          >
            <input
              type="radio"
              name="search-engine"
              data-testid={`search-engine-${e.name.split(/[ :]/)[0]?.toLowerCase()}`}
              checked={engine === e.address}
              onChange={() => setEngine(e.address)}
            />
            {e.name}
          </label>
        ))}
      </div>
      {problem ? (
        <p role="alert" className="mt-2 text-xs text-bad">
          {problem.message}
        </p>
      ) : null}
    </Dialog>
  );
}
