import type { ReactNode } from "react";
import { openOutside } from "@/bridge/links";

interface ExternalLinkProps {
  href: string;
  testid?: string;
  className?: string;
  children: ReactNode;
}

/** A link that opens in the user's own browser, also from the desktop window. */
export function ExternalLink({ href, testid, className, children }: ExternalLinkProps) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      data-testid={testid}
      className={className}
      onClick={(e) => {
        e.preventDefault();
        openOutside(href);
      }}
    >
      {children}
    </a>
  );
}
