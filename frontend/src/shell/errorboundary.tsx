import { Component, type ReactNode } from "react";
import { Button } from "@/ui/button";

interface ErrorBoundaryProps {
  /** The failed part, for the heading: "This page". */
  what: string;
  /** A change renders the children again. */
  place?: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  message: string;
  place: string | undefined;
}

/** Limits an error in one part of the window to that part. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { message: "", place: this.props.place };

  static getDerivedStateFromError(reason: unknown): Partial<ErrorBoundaryState> {
    return { message: reason instanceof Error && reason.message ? reason.message : String(reason) };
  }

  static getDerivedStateFromProps(
    props: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return props.place === state.place ? null : { message: "", place: props.place };
  }

  override render(): ReactNode {
    if (!this.state.message) return this.props.children;
    return (
      <div
        role="alert"
        data-testid="part-failed"
        className="flex h-full flex-col items-center justify-center gap-3 bg-bg p-6"
      >
        <h1 className="text-base font-semibold">{this.props.what} could not be shown</h1>
        <p className="selectable max-w-md text-center text-text-muted">{this.state.message}</p>
        <p className="text-xs text-text-faint">Your goals keep running.</p>
        <Button data-testid="part-reload" onClick={() => location.reload()}>
          Reload the window
        </Button>
      </div>
    );
  }
}
