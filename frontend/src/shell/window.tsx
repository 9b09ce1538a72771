import { lazy, Suspense, useEffect, useMemo, useState, type ReactNode } from "react";
import { useStore } from "zustand";
import { ChatPanel } from "@/features/chat/panel";
import { GoalDrawer } from "@/features/goals/drawer";
import { ControlContext } from "@/panes/context";
import { withKeys } from "@/lib/bindings";
import { WorkspaceControl } from "@/panes/control";
import { Workspace } from "@/panes/workspace";
import type { App } from "@/store/app";
import { AppContext, CommandsContext, useAppState } from "@/store/context";
import { isDrawerOpen } from "@/store/workspaces";
import { TooltipProvider } from "@/ui/button";
import { usePhone } from "@/ui/usephone";
import { HelpContext } from "@/ui/helpbutton";
import { buildCommands } from "./actions";
import { ConnectionBanner } from "./banner";
import { ErrorBoundary } from "./errorboundary";
import { GoalTabs, useClosingPanes, useLooking } from "./goaltabs";
import { useKeyboard } from "./keyboard";
import { LeaderKeys } from "./leaderkeys";
import { useLookedAtGoal } from "./lookedat";
import { NeedsYouToasts } from "./needsyoutoasts";
import { Toasts } from "./toasts";
import { NavRail } from "./navrail";
import { StatusBar } from "./statusbar";
import { useTheme } from "./theme";
import { TopBar } from "./topbar";
import { useWindowTitle } from "./windowtitle";

// The window is shown before the code of its dialogs and other pages is there.
const Dialogs = lazy(() => import("./dialogs"));
const Dashboard = lazy(() => import("@/features/goals/dashboard").then((m) => ({ default: m.Dashboard })));
const SchedulesPage = lazy(() => import("@/features/schedules/page").then((m) => ({ default: m.SchedulesPage })));
const SettingsPage = lazy(() => import("@/features/settings/page").then((m) => ({ default: m.SettingsPage })));
const HelpDialog = lazy(() => import("@/features/help/dialog").then((m) => ({ default: m.HelpDialog })));
const WelcomePage = lazy(() => import("@/features/onboarding/page").then((m) => ({ default: m.WelcomePage })));

/** The whole window of a running App. */
export function Window({ app }: { app: App }) {
  const control = useMemo(() => new WorkspaceControl(app), [app]);
  const defaults = useMemo(() => buildCommands(app, control), [app, control]);
  const keys = useStore(app.store, (s) => s.settings?.keys);
  const leaders = useStore(app.store, (s) => s.settings?.leader_keys);
  const actions = useMemo(() => withKeys(defaults, keys, leaders), [defaults, keys, leaders]);
  const commands = useMemo(() => ({ defaults, commands: actions }), [defaults, actions]);
  useKeyboard(app, actions);
  return (
    <AppContext value={app}>
      <ControlContext value={control}>
        <TooltipProvider delayDuration={500}>
          <HelpContext value={(target) => app.openHelp(target)}>
            <CommandsContext value={commands}>
              <Frame onShowPanes={(goal) => control.showGoal(goal)} />
            </CommandsContext>
            <AfterFirstPicture>
              <Dialogs actions={actions} />
            </AfterFirstPicture>
            <Help />
            <LeaderKeys actions={actions} />
            <NeedsYouToasts />
            <Toasts />
          </HelpContext>
        </TooltipProvider>
      </ControlContext>
    </AppContext>
  );
}

/** Loads its children once the window is drawn, so that their code does not delay that. */
function AfterFirstPicture({ children }: { children: ReactNode }) {
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setDrawn(true), 0);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDrawn ? <Suspense fallback={null}>{children}</Suspense> : null;
}

/** The documents are large, so they are loaded when first opened. */
function Help() {
  const isOpen = useAppState((s) => s.help !== null);
  return isOpen ? (
    <Suspense fallback={null}>
      <HelpDialog />
    </Suspense>
  ) : null;
}

function Frame({ onShowPanes }: { onShowPanes: (goal: string) => void }) {
  const route = useAppState((s) => s.route);
  const drawer = useAppState(isDrawerOpen);
  useTheme();
  useWindowTitle();
  useClosingPanes();
  useLooking();
  useLookedAtGoal();
  const covered = route !== "workspace";
  const isPhone = usePhone();
  const chat = useAppState((s) => s.chatOpen);
  const coversPanes = useAppState((s) => s.chatOpen || (isDrawerOpen(s) && s.detail.view !== null)) && isPhone;
  return (
    <div className="flex h-full flex-col" data-route={route} data-testid="window">
      <ConnectionBanner />
      <div className="flex min-h-0 flex-1 max-[640px]:flex-col-reverse">
        <NavRail />
        <div className="relative min-h-0 min-w-0 flex-1">
          {/* The workspace stays under the other places: its terminals and pages keep their size and state. */}
          <div className={`isolate flex h-full flex-col ${covered ? "invisible" : ""}`} inert={covered}>
            <TopBar />
            <div className="relative flex min-h-0 flex-1">
              <main className="flex min-w-0 flex-1 flex-col" inert={coversPanes}>
                <GoalTabs />
                <div className="min-h-0 flex-1">
                  <Workspace />
                </div>
              </main>
              {chat ? <ChatPanel /> : drawer ? <GoalDrawer /> : null}
            </div>
          </div>
          {covered ? (
            <div className="absolute inset-0 z-10 bg-bg">
              <ErrorBoundary what="This page" place={route}>
                <Suspense fallback={<div data-loading />}>
                  {route === "goals" ? <Dashboard onShowPanes={onShowPanes} /> : null}
                  {route === "schedules" ? <SchedulesPage /> : null}
                  {route === "settings" ? <SettingsPage /> : null}
                  {route === "welcome" ? <WelcomePage /> : null}
                </Suspense>
              </ErrorBoundary>
            </div>
          ) : null}
        </div>
      </div>
      <StatusBar />
    </div>
  );
}
