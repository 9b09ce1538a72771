import { createContext, useContext, useId, useState, type ReactNode } from "react";
import type { HelpTarget } from "@/lib/helppages";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { Field } from "./field";
import { Input } from "./input";

/** Why a form was refused. field names the control with the error, "" if there is none. */
export interface FormError {
  message: string;
  hint: string;
  field: string;
}

interface FormDialogProps {
  /** Prefix of every test id: NAME-form, NAME-save, NAME-FIELD. */
  name: string;
  title: string;
  description: string;
  /** Label of the button. */
  yes?: string;
  /** Text beside the buttons. */
  aside?: string;
  className?: string;
  help: HelpTarget;
  /** Layout classes of the fields. */
  layout?: string;
  /** The fields that show their own error. Any other error is shown below all fields. */
  fields: readonly string[];
  save: () => Promise<FormError | null>;
  onClose: () => void;
  onSaved: () => void;
  children: ReactNode;
}

const FormContext = createContext<{ name: string; refusal: FormError | null }>({ name: "", refusal: null });

/** A dialog that saves one thing. Enter in a field saves; an error is shown at the field that it concerns. */
export function FormDialog(p: FormDialogProps) {
  const [refusal, setRefusal] = useState<FormError | null>(null);
  const [busy, setBusy] = useState(false);

  const save = async () => {
    if (busy) return;
    setBusy(true);
    const wrong = await p.save();
    setBusy(false);
    setRefusal(wrong);
    if (!wrong) p.onSaved();
  };

  return (
    <Dialog
      open
      onClose={p.onClose}
      title={p.title}
      help={p.help}
      className={p.className ?? "w-[480px]"}
      testid={`${p.name}-form`}
      description={p.description}
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.target instanceof HTMLInputElement) void save();
      }}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">{p.aside}</span>
          <Button look="quiet" onClick={p.onClose}>
            Cancel
          </Button>
          <Button look="primary" data-testid={`${p.name}-save`} disabled={busy} onClick={() => void save()}>
            {p.yes ?? "Save"}
          </Button>
        </>
      }
    >
      <FormContext value={{ name: p.name, refusal }}>
        <div className={p.layout ?? "flex flex-col gap-3"}>{p.children}</div>
      </FormContext>
      {refusal && !p.fields.includes(refusal.field) ? (
        <p role="alert" className="mt-3 text-xs text-bad">
          {refusal.message} <span className="text-text-muted">{refusal.hint}</span>
        </p>
      ) : null}
    </Dialog>
  );
}

/** What a form gives its controls: id, test id and error state. */
export interface FormControl {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
  "data-testid": string;
}

interface FormFieldProps {
  /** Go's name of the field in an error. */
  name: string;
  label: string;
  note?: ReactNode;
  children: (control: FormControl) => ReactNode;
}

/** One labelled control of a FormDialog. */
export function FormField({ name, label, note, children }: FormFieldProps) {
  const form = useContext(FormContext);
  const wrong = form.refusal?.field === name ? form.refusal : undefined;
  const testid = `${form.name}-${name}`;
  return (
    <Field label={label} name={testid} note={note} error={wrong?.message} hint={wrong?.hint}>
      {(c) => children({ ...c, "data-testid": testid })}
    </Field>
  );
}

type FormInputProps = Omit<FormFieldProps, "children"> & {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  disabled?: boolean;
  type?: "text" | "password";
  /** What the field offers while the user types. */
  offers?: readonly string[];
};

/** A line of text. The browser does not offer to save a password. */
export function FormInput({ name, label, note, value, onChange, type, offers, ...rest }: FormInputProps) {
  const list = useId();
  return (
    <FormField name={name} label={label} note={note}>
      {(c) => (
        <>
          <Input
            {...c}
            {...rest}
            type={type ?? "text"}
            spellCheck={false}
            autoComplete={type === "password" ? "new-password" : "off"}
            className="disabled:opacity-50"
            list={offers && list}
            value={value}
            onChange={(e) => onChange(e.target.value)}
          />
          {offers ? (
            <datalist id={list}>
              {offers.map((offer) => (
                <option key={offer} value={offer} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </FormField>
  );
}
