import { ConnectDialog } from "@/connect/dialog";
import { ApprovalsDialog } from "@/features/goals/approvals/queue";
import { DigestDialog } from "@/features/goals/digest/dialog";
import { LaunchDialog } from "@/features/goals/launch/dialog";
import { NewGoalDialog } from "@/features/goals/newgoal/dialog";
import { PageGoalDialog } from "@/features/goals/newgoal/pagegoal";
import { NoteDialog } from "@/features/goals/notedialog";
import { RaceDialog } from "@/features/goals/race/dialog";
import { WorktreesDialog } from "@/features/goals/worktrees/dialog";
import { ScheduleDialog } from "@/features/schedules/dialog";
import { Palette } from "./palette/palette";
import { ServersDialog } from "@/features/servers/dialog";
import type { Action } from "@/lib/actions";
import { ConfirmDialog } from "./confirmdialog";
import { NewWorkspaceDialog } from "./newworkspace";

/** The dialogs that open over the window. Each shows nothing while it is closed. */
export default function Dialogs({ actions }: { actions: readonly Action[] }) {
  return (
    <>
      <NewGoalDialog />
      <PageGoalDialog />
      <ScheduleDialog />
      <NoteDialog />
      <ServersDialog />
      <ConnectDialog />
      <ApprovalsDialog />
      <WorktreesDialog />
      <RaceDialog />
      <LaunchDialog />
      <DigestDialog />
      <NewWorkspaceDialog />
      <Palette actions={actions} />
      <ConfirmDialog />
    </>
  );
}
