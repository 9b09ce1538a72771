import "@/ui/global.css";
import "@/ui/fonts.css";
import { createRoot, type Root } from "react-dom/client";
import { connect } from "@/bridge/bridge";
import { asProblem } from "@/bridge/problem";
import { repairCall } from "@/bridge/wails";
import { repairLanguage } from "@/lib/language";
import { followAddress } from "@/shell/address";
import { DatabaseProblem } from "@/shell/databaseproblem";
import { ErrorBoundary } from "@/shell/errorboundary";
import { StartError } from "@/shell/starterror";
import { toasts } from "@/shell/toasts";
import { earlyTheme } from "@/shell/theme";
import { App } from "@/store/app";

// The page connects while the code of the window is loaded.
const windowCode = import("@/shell/window");

async function run(root: Root) {
  let app: App | null = null;
  try {
    const repair = repairCall();
    if (repair) {
      root.render(<DatabaseProblem problem={await repair("DatabaseAPI.Problem")} call={repair} />);
      return;
    }
    const bridge = await connect({ login: () => (app ? app.set({ link: "login" }) : location.reload()) });
    app = new App(bridge, toasts);
    await app.start();
    // The desktop window has no address bar, and its page has an address of its own.
    if (/^https?:$/.test(location.protocol)) followAddress(app);
    const { Window } = await windowCode;
    root.render(
      <ErrorBoundary what="The window">
        <Window app={app} />
      </ErrorBoundary>,
    );
  } catch (reason) {
    root.render(<StartError problem={asProblem(reason)} />);
  }
}

repairLanguage(navigator);
earlyTheme();
const host = document.getElementById("root");
if (host) void run(createRoot(host));
