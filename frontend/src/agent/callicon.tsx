import { toneText, type StatusTone } from "@/ui/badge";
import { cx } from "@/ui/cx";
import {
  EyeIcon,
  FlagIcon,
  GlobeIcon,
  GoalIcon,
  HandIcon,
  ListIcon,
  NoteIcon,
  PencilIcon,
  TerminalIcon,
  WrenchIcon,
} from "@/ui/icons";
import { callWords, type CallKind } from "./callwords";

const icons: Record<CallKind, typeof EyeIcon> = {
  read: EyeIcon,
  look: EyeIcon,
  edit: PencilIcon,
  run: TerminalIcon,
  page: GlobeIcon,
  click: HandIcon,
  plan: ListIcon,
  claim: FlagIcon,
  ask: NoteIcon,
  goal: GoalIcon,
  other: WrenchIcon,
};

interface CallIconProps {
  step: { tool: string; arguments: string; outcome: string };
  tone: StatusTone;
}

/** The icon of a call, coloured by its result. */
export function CallIcon({ step, tone }: CallIconProps) {
  const Icon = icons[callWords(step).kind];
  return <Icon size={14} className={cx("shrink-0", tone === "calm" ? "text-text-faint" : toneText[tone])} />;
}
