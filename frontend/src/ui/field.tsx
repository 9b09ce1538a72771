import { useId, type ReactNode } from "react";

interface FieldProps {
  label: string;
  /** Go's name of the field; names the error for tests. */
  name?: string;
  note?: ReactNode;
  error?: string | undefined;
  hint?: string | undefined;
  className?: string | undefined;
  /** Renders the control with the id and the error state that label and error need. */
  children: (control: { id: string; "aria-invalid": boolean; "aria-describedby": string | undefined }) => ReactNode;
}

/** A labelled control with its error under it. */
export function Field({ label, name, note, error, hint, className, children }: FieldProps) {
  const id = useId();
  const describe = `${id}-words`;
  const words = error ?? hint;
  return (
    <div className={className}>
      <div className="mb-1 flex items-baseline gap-2">
        <label htmlFor={id} className="text-xs font-medium">
          {label}
        </label>
        {note ? <span className="text-xs text-text-faint">{note}</span> : null}
      </div>
      {children({ id, "aria-invalid": error !== undefined, "aria-describedby": words ? describe : undefined })}
      {error ? (
        <p
          id={describe}
          role="alert"
          data-testid={name ? `error-${name}` : undefined}
          className="mt-1 text-xs text-bad"
        >
          {error}
          {hint ? <span className="text-text-muted"> · {hint}</span> : null}
        </p>
      ) : hint ? (
        <p id={describe} className="mt-1 text-xs text-text-faint">
          {hint}
        </p>
      ) : null}
    </div>
  );
}
