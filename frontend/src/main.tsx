import "@/ui/global.css";
import { createRoot, type Root } from "react-dom/client";
import { connect } from "@/bridge/bridge";
import { asProblem } from "@/bridge/problem";
import { repairLanguage } from "@/lib/language";
import { followAddress } from "@/shell/address";
import { ErrorBoundary } from "@/shell/errorboundary";
import { StartError } from "@/shell/starterror";
import { toasts } from "@/shell/toasts";
import { earlyTheme } from "@/shell/theme";
import { Window } from "@/shell/window";
import { App } from "@/store/app";

async function run(root: Root) {
  let app: App | null = null;
  try {
    const bridge = await connect({ login: () => (app ? app.set({ link: "login" }) : location.reload()) });
    app = new App(bridge, toasts);
    await app.start();
    // The program's own window has no address bar, and its pages have addresses that only it knows.
    if (/^https?:$/.test(location.protocol)) followAddress(app);
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
