import type { ReactNode } from "react";

interface IconProps {
  size?: number;
  className?: string;
}

/** Makes an icon of 16 by 16 units in the color of the text around it. */
export function icon(children: ReactNode) {
  return function Icon({ size = 16, className }: IconProps) {
    return (
      <svg
        aria-hidden
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
        className={className}
      >
        {children}
      </svg>
    );
  };
}

export const WorkspaceIcon = icon(
  <>
    <rect x="2" y="2.5" width="12" height="11" rx="1.5" />
    <path d="M8 2.5v11M8 8h6" />
  </>,
);
export const GoalIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <circle cx="8" cy="8" r="2.6" />
  </>,
);
export const SlidersIcon = icon(
  <>
    <path d="M2 4.5h6.2M11.8 4.5H14M2 11.5h2.2M7.8 11.5H14" />
    <circle cx="10" cy="4.5" r="1.8" />
    <circle cx="6" cy="11.5" r="1.8" />
  </>,
);
export const HelpIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M6.3 6.4a1.75 1.75 0 1 1 2.6 1.5c-.6.35-.9.7-.9 1.4M8 11.4v.1" />
  </>,
);
export const TerminalIcon = icon(
  <>
    <path d="m3 4.5 3.5 3.5L3 11.5M8 12h5" />
  </>,
);
export const GlobeIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M2.2 8h11.6M8 2.2c2 2 2.4 4 2.4 5.8S10 11.8 8 13.8C6 11.8 5.6 9.8 5.6 8S6 4.2 8 2.2" />
  </>,
);
export const LockIcon = icon(
  <>
    <rect x="3.5" y="7" width="9" height="6.5" rx="1.2" />
    <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
  </>,
);
export const PlusIcon = icon(<path d="M8 3.5v9M3.5 8h9" />);
export const CloseIcon = icon(<path d="m4.5 4.5 7 7M11.5 4.5l-7 7" />);
export const CheckIcon = icon(<path d="m3.5 8.5 3 3 6-7" strokeWidth="1.8" />);
export const CrossIcon = icon(<path d="m4.5 4.5 7 7M11.5 4.5l-7 7" strokeWidth="1.8" />);
export const WarnIcon = icon(
  <>
    <path d="M8 2.5 14.2 13H1.8z" />
    <path d="M8 6.5v3M8 11.3v.01" />
  </>,
);
export const ClockIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.8" />
    <path d="M8 4.800V8l2.200 1.600" />
  </>,
);
export const RingIcon = icon(<circle cx="8" cy="8" r="4.5" />);
export const BackIcon = icon(<path d="M13 8H3.5M7.5 3.8 3.3 8l4.2 4.2" />);
export const ForwardIcon = icon(<path d="M3 8h9.5M8.5 3.8 12.7 8l-4.2 4.2" />);
export const ReloadIcon = icon(<path d="M13 8a5 5 0 1 1-1.5-3.6M13 2.5v3h-3" />);
export const HomeIcon = icon(<path d="M2.5 7.6 8 2.8l5.5 4.8M4 6.6v6.6h3v-3.700h2v3.700h3V6.6" />);
export const StarIcon = icon(
  <path d="m8 2.300 1.800 3.600 4 .600-2.900 2.800.700 4L8 11.400l-3.600 1.900.700-4L2.200 6.500l4-.600z" />,
);
export const DotsIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />);
export const ChevronIcon = icon(<path d="m6 3.5 4.5 4.5L6 12.5" />);
export const PanelIcon = icon(
  <>
    <rect x="2" y="2.5" width="12" height="11" rx="1.5" />
    <path d="M10 2.5v11" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.3" />
    <path d="m10.3 10.3 3.2 3.2" />
  </>,
);
export const ZoomIcon = icon(<path d="M9.5 2.5h4v4M13.3 2.7 9.5 6.5M6.5 13.5h-4v-4M2.7 13.3l3.8-3.8" />);
export const SplitIcon = icon(
  <>
    <rect x="2" y="2.5" width="12" height="11" rx="1.5" />
    <path d="M8 2.5v11" />
  </>,
);

/** The goal posts, the product's mark. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg aria-hidden width={size} height={size} viewBox="0 0 22 22" fill="none" className="text-accent">
      <path d="M3 2v18M19 2v18M3 8.5h16" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <circle cx="11" cy="14.5" r="1.9" fill="currentColor" />
    </svg>
  );
}
export const PlayIcon = icon(<path d="M5 3.2v9.6l7.5-4.8z" fill="currentColor" />);
export const PauseIcon = icon(<path d="M5.2 3.5v9M10.8 3.5v9" strokeWidth="2.2" />);
export const StepBackIcon = icon(<path d="M4 3.5v9M12.5 3.8v8.4L6.5 8z" />);
export const StepOnIcon = icon(<path d="M12 3.5v9M3.5 3.8v8.4L9.5 8z" />);
export const PictureIcon = icon(
  <>
    <rect x="2" y="3" width="12" height="10" rx="1.5" />
    <path d="m2.5 11.500 3.500-3.500 2.500 2.500 2-2 3 3M10.500 6h.01" />
  </>,
);
export const WrenchIcon = icon(
  <path d="M13.500 5.200 11.300 7.400 8.800 7.200 8.600 4.700 10.800 2.500a3.600 3.600 0 0 0-4.700 4.700L2.400 10.900a1.500 1.500 0 0 0 2.100 2.100l3.700-3.700a3.600 3.600 0 0 0 5.300-4.100z" />,
);
export const SparkIcon = icon(
  <path d="M8 2.500 9.400 6.600 13.500 8 9.400 9.400 8 13.500 6.600 9.400 2.500 8 6.600 6.600z" />,
);
export const KeyIcon = icon(
  <>
    <circle cx="5.200" cy="10.800" r="2.700" />
    <path d="m7.200 8.800 5.300-5.300M10.500 5.500l1.800 1.800" />
  </>,
);
export const EyeIcon = icon(
  <>
    <path d="M1.800 8S4 3.800 8 3.800 14.200 8 14.200 8 12 12.200 8 12.200 1.800 8 1.800 8z" />
    <circle cx="8" cy="8" r="1.900" />
  </>,
);
export const PencilIcon = icon(<path d="m3 13 .7-3L10.500 3.200a1.400 1.400 0 0 1 2.300 2.300L6 12.300z" />);
export const FlagIcon = icon(<path d="M4 14V2.800M4 3h8l-1.800 2.800L12 8.600H4" />);
export const HandIcon = icon(<path d="m4 3 8.500 4.600-3.700 1-1.900 3.600z" />);
export const ListIcon = icon(<path d="M6 4h7.500M6 8h7.500M6 12h7.500M2.700 4h.01M2.700 8h.01M2.700 12h.01" />);
export const NoteIcon = icon(<path d="M2.500 3.500h11v7.500H7l-3 2.500V11H2.500z" />);
export const CopyIcon = icon(
  <>
    <rect x="5.500" y="5.500" width="8" height="8" rx="1.300" />
    <path d="M10.500 3.500v-.2a.8.8 0 0 0-.8-.8H3.300a.8.8 0 0 0-.8.8v6.400c0 .4.4.8.8.8h.2" />
  </>,
);

export const ChatIcon = icon(
  <path d="M8 2.500c3.300 0 5.700 2.200 5.700 5.200S11.300 13 8 13c-.900 0-1.700-.100-2.400-.400L2.600 13.500l.800-2.700A5 5 0 0 1 2.300 7.700c0-3 2.400-5.200 5.700-5.200z" />,
);
export const SendIcon = icon(<path d="M8 13V3.500M4 7.300l4-4 4 4" strokeWidth="1.800" />);
export const StopIcon = icon(<path d="M5 5h6v6H5z" fill="currentColor" />);
export const FileIcon = icon(<path d="M4 2.500h5L12.500 6v7.500H4zM9 2.500V6h3.500" />);
export const SelectionIcon = icon(<path d="M3 4h10M3 8h6M3 12h8" />);
export const WrapIcon = icon(
  <path d="M2.5 4h11M2.5 8H11a2.2 2.2 0 0 1 0 4.400H8M9.600 10.700 7.900 12.400l1.700 1.700M2.5 12H5" />,
);
