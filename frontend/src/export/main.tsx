import "@/ui/global.css";
import "./export.css";
import { createRoot } from "react-dom/client";
import { Tooltip } from "radix-ui";
import type { StepOutcome, StepRow } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { emptyDetail } from "@/store/goaldetail";
import { emptyJournal, withFacts } from "@/store/journal";
import { ExportBridge } from "./bridge";
import { readData, type ExportData } from "./data";
import { allowInlineStyles } from "./inlinestyles";
import { ExportPage } from "./page";
import { watchPrinting, watchTheme } from "./theme";

/** The steps as the replay needs them. The activity has them whole. */
function stepsOf(data: ExportData): StepRow[] {
  return data.entries
    .filter((e) => e.kind === "step")
    .map((e) => ({
      n: e.step ?? 0,
      at_ms: e.at_ms,
      tool: e.tool ?? "",
      arguments: e.arguments ?? "",
      outcome: (e.outcome ?? "") as StepOutcome,
      ms: e.ms ?? 0,
      preview: e.preview ?? "",
      image_sha256: "",
      effect: "read_only",
    }));
}

function openApp(data: ExportData): App {
  const say = (text: string) => {
    const status = document.getElementById("status");
    if (status) status.textContent = text;
  };
  const app = new App(new ExportBridge(data), { problem: (p) => say(p.message), done: say });
  app.set({
    isExport: true,
    detail: {
      ...emptyDetail(data.view.id),
      view: data.view,
      steps: stepsOf(data),
      stepsLoaded: true,
      journal: withFacts(emptyJournal, data.events),
      journalLoaded: true,
    },
  });
  return app;
}

allowInlineStyles();
watchTheme();
watchPrinting();
const host = document.getElementById("root");
if (host) {
  const data = readData();
  createRoot(host).render(
    <AppContext value={openApp(data)}>
      <Tooltip.Provider delayDuration={400}>
        <ExportPage data={data} />
      </Tooltip.Provider>
    </AppContext>,
  );
}
