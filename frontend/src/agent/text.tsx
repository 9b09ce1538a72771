import { useCallback } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { useApp, useAppState } from "@/store/context";
import type { App } from "@/store/app";
import { Markdown } from "@/ui/markdown";
import { stripControl } from "@/lib/text";

/** Asks before it opens an address from a model's text. */
function confirmLink(app: App, url: string) {
  const host = stripControl(new URL(url).host);
  app.confirm({
    title: `Open ${host}?`,
    text: `The agent wrote this address: ${stripControl(url)}`,
    yes: "Open in a browser pane",
    danger: false,
    run: async () => {
      await app.panes.openBrowser(url);
    },
  });
}

interface AgentTextProps {
  text: string;
  /** Blocks of code can be copied. */
  copy?: boolean;
  className?: string;
  testid?: string;
}

/** An agent's text as Markdown. Its links ask before they open; in an exported file they are text. */
export function AgentText({ text, copy, className, testid }: AgentTextProps) {
  const app = useApp();
  const isExport = useAppState((s) => s.isExport);
  const follow = useCallback((url: string) => confirmLink(app, url), [app]);
  const copied = useCallback(
    (code: string) => {
      void writeClipboard(code).then((ok) => ok && app.notices.done("Copied"));
    },
    [app],
  );
  return (
    <Markdown
      text={text}
      {...(isExport ? {} : { onLink: follow })}
      {...(copy ? { onCopy: copied } : {})}
      {...(className ? { className } : {})}
      {...(testid ? { testid } : {})}
    />
  );
}
