import { useEffect, useRef, useState } from "react";
import { openOutside } from "@/bridge/links";
import { followHelpLink, type HelpTarget } from "@/lib/helppages";
import { useApp, useAppState } from "@/store/context";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { Dialog } from "@/ui/dialog";
import { BackIcon } from "@/ui/icons";
import { Input } from "@/ui/input";
import { Markdown } from "@/ui/markdown";
import { helpTexts, searchHelp } from "./pages";

/** The documents, at the page that F1 or a help button opened. */
export function HelpDialog() {
  const target = useAppState((s) => s.help);
  return target ? <OpenHelp key={target} target={target} /> : null;
}

function OpenHelp({ target }: { target: HelpTarget }) {
  const app = useApp();
  const [visited, setVisited] = useState<readonly HelpTarget[]>([target]);
  const [query, setQuery] = useState("");
  const text = useRef<HTMLDivElement>(null);
  const now = visited.at(-1) ?? target;
  const [page, anchor = ""] = now.split("#");
  const shown = helpTexts.find((h) => h.page === page);
  useEffect(() => {
    const heading = anchor ? text.current?.querySelector(`[data-anchor="${CSS.escape(anchor)}"]`) : null;
    if (heading) heading.scrollIntoView({ block: "start" });
    else text.current?.scrollTo({ top: 0 });
  }, [now, anchor]);
  if (!shown) return null;
  const visit = (to: HelpTarget) => setVisited([...visited, to]);
  const found = searchHelp(query);
  return (
    <Dialog
      open
      onClose={() => app.closeHelp()}
      title={shown.title}
      testid="help"
      className="h-[88vh] w-[960px]"
      description="The documents of Goalpost"
      aside={
        <IconButton
          label="Back"
          data-testid="help-back"
          disabled={visited.length < 2}
          onClick={() => setVisited(visited.slice(0, -1))}
        >
          <BackIcon />
        </IconButton>
      }
      footer={
        <>
          <span className="flex-1" />
          <Button data-testid="help-close" onClick={() => app.closeHelp()}>
            Close
          </Button>
        </>
      }
    >
      <div className="flex h-full gap-5 max-[640px]:flex-col">
        <nav aria-label="Help pages" className="flex w-56 shrink-0 flex-col gap-2 max-[640px]:w-full">
          <Input
            data-testid="help-search"
            aria-label="Search help"
            placeholder="Search help"
            value={query}
            onChange={(e) => setQuery(e.target.value)}
          />
          <ul className="min-h-0 flex-1 overflow-y-auto max-[640px]:max-h-28">
            {found.map((h) => (
              <li key={h.page}>
                <button
                  type="button"
                  data-testid="help-page"
                  data-page={h.page}
                  aria-current={h.page === page ? "page" : undefined}
                  className={cx(
                    "w-full rounded-md px-2 py-1 text-left text-xs hover:bg-surface-hover",
                    h.page === page ? "bg-surface-hover font-medium text-text" : "text-text-muted",
                  )}
                  onClick={() => visit(h.page)}
                >
                  {h.title}
                </button>
              </li>
            ))}
            {found.length === 0 ? <li className="px-2 py-1 text-xs text-text-faint">No page matches.</li> : null}
          </ul>
        </nav>
        <div ref={text} tabIndex={0} role="region" aria-label={shown.title} className="min-w-0 flex-1 overflow-y-auto">
          <Markdown
            text={shown.text}
            testid="help-text"
            className="pr-2 pb-6 text-sm"
            onLink={openOutside}
            innerLink={(href) => {
              const to = followHelpLink(shown.page, href);
              return to ? () => visit(to) : undefined;
            }}
          />
        </div>
      </div>
    </Dialog>
  );
}
