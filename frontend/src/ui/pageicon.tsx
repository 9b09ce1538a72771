import { GlobeIcon } from "./icons";

interface PageIconProps {
  /** The icon as the pane has it, `""` for a page without one. */
  icon: string;
  size: number;
}

/** The icon of a page, or a globe. It shows only a picture that the program has encoded itself. */
export function PageIcon({ icon, size }: PageIconProps) {
  if (!icon.startsWith("data:image/png;base64,")) return <GlobeIcon size={size} className="shrink-0 text-text-faint" />;
  return <img src={icon} alt="" width={size} height={size} className="shrink-0" data-testid="page-icon" />;
}
