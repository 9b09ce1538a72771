import type { Risk } from "@/bridge/types";
import type { FieldError } from "./errors";
import { riskOptions } from "./labels";
import { cx } from "@/ui/cx";

interface RisksProps {
  risk: Risk;
  error: FieldError | undefined;
  onChange: (risk: Risk) => void;
}

/** The risk levels: what the goal may do without asking. */
export function Risks({ risk, error, onChange }: RisksProps) {
  return (
    <fieldset>
      <legend className="mb-1 text-xs font-medium">Permissions</legend>
      <div className="grid grid-cols-5 gap-1.5 max-[640px]:grid-cols-1">
        {riskOptions.map((step) => (
          <label
            key={step.risk}
            data-testid={`risk-${step.risk}`}
            className={cx(
              "relative cursor-pointer rounded-md border border-border-strong bg-surface-raised px-2.5",
              "py-2 has-checked:border-accent has-checked:bg-accent-bg has-focus-visible:outline-2",
              "has-focus-visible:outline-accent hover:border-text-faint",
            )}
          >
            <input
              type="radio"
              name="risk"
              className="sr-only"
              checked={risk === step.risk}
              onChange={() => onChange(step.risk)}
            />
            <span className="block text-xs font-semibold">{step.title}</span>
            <span className="block text-2xs text-text-muted">{step.line}</span>
          </label>
        ))}
      </div>
      {error ? (
        <p role="alert" data-testid="error-risk" className="mt-1 text-xs text-bad">
          {error.message} <span className="text-text-muted">{error.hint}</span>
        </p>
      ) : null}
    </fieldset>
  );
}
