import { useEffect, useRef, useState } from "react";
import type { ConnectInput, ConnectionTest, PresetView, Problem, Provider } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button, IconButton, Kbd } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { ExternalLink } from "./externallink";
import { Field } from "@/ui/field";
import { BackIcon, ChevronIcon, EyeIcon, LockIcon } from "@/ui/icons";
import { Input, Select } from "@/ui/input";
import { ModelTable } from "./modeltable";
import { Notes, Outcome, TestProgress } from "./outcome";

interface ConnectFormProps {
  /** The saved provider to edit, or "". */
  provider: string;
  /** The preset of a new provider, or "". */
  preset: string;
}

/** The values of the fields. */
interface Draft {
  id: string;
  kind: string;
  address: string;
  key: string;
  keyEnv: string;
  model: string;
  window: string;
  inputPrice: string;
  outputPrice: string;
  use: boolean;
}

type Busy = "" | "test" | "save";

function firstDraft(p: Provider | undefined, preset: PresetView | undefined, taken: readonly Provider[]): Draft {
  let id = p?.id ?? preset?.id ?? "custom";
  if (!p) for (let n = 2; taken.some((t) => t.id === id); n++) id = `${preset?.id ?? "custom"}-${n}`;
  return {
    id,
    kind: p?.kind ?? preset?.kind ?? "openai",
    address: p?.base_url ?? preset?.base_url ?? "",
    key: "",
    keyEnv: p?.api_key_env ?? "",
    model: p?.model ?? "",
    window: p?.context_window ? String(p.context_window) : "",
    inputPrice: p?.input_price ? String(p.input_price) : "",
    outputPrice: p?.output_price ? String(p.output_price) : "",
    use: p?.active ?? true,
  };
}

/** The dialog for one connection: key, test, model, name. It stores nothing before the user saves. */
export function ConnectForm({ provider, preset: presetId }: ConnectFormProps) {
  const app = useApp();
  const providers = useAppState((s) => s.providers);
  const presets = useAppState((s) => s.presets);
  const saved = providers.find((p) => p.id === provider);
  const preset = presets.find((p) => p.id === (saved ? saved.preset || "custom" : presetId));
  const [draft, setDraft] = useState<Draft>(() => firstDraft(saved, preset, providers));
  const [test, setTest] = useState<ConnectionTest | null>(null);
  /** What the server listed while its test still runs. */
  const [listed, setListed] = useState<ConnectionTest | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<Busy>("");
  const [isAdvanced, setIsAdvanced] = useState(false);
  /** Counts the tests, so that the answer of an older one is dropped. */
  const run = useRef(0);
  const needsKey = (preset?.key_variable ?? "") !== "";
  const needsAddress = !preset || preset.local || preset.base_url === "";
  const name = preset && preset.id !== "custom" ? preset.name : "an endpoint";

  const input = (d: Draft, more: Partial<ConnectInput> = {}): ConnectInput => ({
    id: d.id.trim(),
    preset: preset?.id ?? "custom",
    kind: d.kind,
    base_url: d.address.trim(),
    model: d.model.trim(),
    key: d.key.trim(),
    key_env: d.key.trim() ? "" : d.keyEnv,
    key_secret: "",
    context_window: Number(d.window) || 0,
    input_price: Number(d.inputPrice) || 0,
    output_price: Number(d.outputPrice) || 0,
    use: d.use,
    untested: false,
    new: !saved,
    only_list: false,
    ...more,
  });

  const runTest = async (d: Draft) => {
    const n = ++run.current;
    setBusy("test");
    setRefusal(null);
    setListed(null);
    // A server lists its models at once, and may take minutes to load the one that is asked.
    const listed = await app.providers.tryConnection(input(d, { only_list: true }));
    if (n !== run.current) return;
    const canAsk = "steps" in listed && listed.step === "";
    if (canAsk) setListed(listed);
    const out = canAsk ? await app.providers.tryConnection(input(d)) : listed;
    if (n !== run.current) return;
    setBusy("");
    if ("steps" in out) show(out, d);
    else setRefusal(out);
  };
  const show = (out: ConnectionTest, d: Draft) => {
    setTest(out);
    if (out.model && !d.model) setDraft((now) => ({ ...now, model: now.model || out.model }));
  };
  const cancelTest = () => {
    run.current++;
    setBusy("");
  };
  const save = async (untested: boolean) => {
    if (busy === "save") return;
    const n = ++run.current;
    setBusy("save");
    setRefusal(null);
    const out = await app.providers.connect(input(draft, { untested }));
    if (n !== run.current) return;
    setBusy("");
    if (!("test" in out)) {
      setRefusal(out);
      return;
    }
    if (!out.saved) {
      show(out.test, draft);
      return;
    }
    const isFirst = app.state.route === "welcome";
    app.providers.closeConnect();
    if (isFirst) {
      void app.settings.markWelcomed();
      app.go("goals");
      app.newGoal();
    }
  };
  const change = (part: Partial<Draft>, tests = false) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (!("model" in part) && !("id" in part) && !("use" in part)) {
      run.current++;
      setTest(null);
      if (busy === "test") setBusy("");
    }
    if (tests) void runTest(next);
  };

  // A server on this computer needs no key, so it is tested immediately.
  useEffect(() => {
    if (preset?.local || saved) void runTest(draft);
    const counter = run;
    return () => {
      counter.current++;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the dialog opens
  }, []);

  const models = (test ?? listed)?.models ?? [];
  const canSave = test?.ok === true && draft.model.trim() !== "" && busy === "";
  const isOther = refusal && !["key", "key_env", "base_url", "id"].includes(refusal.field);
  const problemAt = (...fields: string[]) => (refusal && fields.includes(refusal.field) ? refusal : undefined);
  const submit = () => (canSave ? void save(false) : busy === "" ? void runTest(draft) : undefined);

  return (
    <Dialog
      open
      onClose={() => app.providers.closeConnect()}
      title={saved ? `Edit ${saved.id}` : `Connect ${name}`}
      testid="connect-dialog"
      help="how-to/connect-a-model"
      description="Connects a model. Nothing is stored until you save."
      className="w-[680px]"
      onOpenAutoFocus={(e) => {
        e.preventDefault();
        const fields = ["connect-address", "connect-key", "connect-variable"].map((id) =>
          (e.currentTarget as HTMLElement).querySelector<HTMLInputElement>(`[data-testid="${id}"]`),
        );
        (fields.find((f) => f?.value === "") ?? fields.find(Boolean))?.focus();
      }}
      aside={
        saved ? null : (
          <IconButton label="Back" onClick={() => app.providers.openConnect({ preset: "" })}>
            <BackIcon />
          </IconButton>
        )
      }
      onKeyDown={(e) => {
        if (e.code === "Enter" && e.ctrlKey && canSave) void save(false);
        else if (e.code === "Enter" && e.target instanceof HTMLInputElement && e.target.type !== "radio") submit();
      }}
      footer={
        <>
          {test?.ok ? (
            <label className="flex items-center gap-2 text-xs">
              <input
                type="checkbox"
                data-testid="connect-use"
                checked={draft.use}
                onChange={(e) => change({ use: e.target.checked })}
              />
              Use for new goals
            </label>
          ) : (
            <span className="flex items-center gap-1.5 text-xs text-text-faint">
              <LockIcon size={13} /> Nothing is stored until you save.
            </span>
          )}
          <span className="flex-1" />
          <Button look="quiet" onClick={() => app.providers.closeConnect()}>
            Cancel
          </Button>
          {test && !test.ok ? (
            <Button data-testid="connect-untested" disabled={busy !== ""} onClick={() => void save(true)}>
              Save without testing
            </Button>
          ) : null}
          <Button look="primary" data-testid="connect-save" disabled={!canSave} onClick={() => void save(false)}>
            {busy === "save" ? "Testing…" : draft.use ? "Save and use" : "Save"} <Kbd onAccent>Ctrl+Enter</Kbd>
          </Button>
        </>
      }
    >
      {needsAddress ? (
        <Address draft={draft} problem={problemAt("base_url")} preset={preset} onChange={change} />
      ) : null}
      <KeyField
        draft={draft}
        preset={preset}
        problem={problemAt("key", "key_env", "value")}
        stored={saved?.api_key_secret !== undefined && saved.api_key_secret !== ""}
        needsKey={needsKey}
        busy={busy}
        tested={test !== null}
        onChange={change}
        onTest={() => void runTest(draft)}
        onCancel={cancelTest}
      />
      {isOther ? (
        <p role="alert" data-testid="connect-refusal" className="mt-2 text-xs text-bad">
          {refusal.message} <span className="text-text-muted">{refusal.hint}</span>
        </p>
      ) : null}
      {busy ? <TestProgress address={draft.address} /> : null}
      {test && busy !== "test" ? <Outcome test={test} preset={preset} /> : null}
      {models.length > 0 ? (
        <ModelTable models={models} chosen={draft.model} onChoose={(model) => change({ model }, busy === "test")} />
      ) : (
        <NoModels isTested={test !== null} model={draft.model} onChange={(model) => change({ model })} />
      )}
      <div className="mt-4 grid grid-cols-2 gap-4">
        <Field label="Display name" name="id" error={problemAt("id")?.message} hint={problemAt("id")?.hint}>
          {(c) => (
            <Input
              {...c}
              data-testid="connect-name"
              disabled={saved !== undefined}
              value={draft.id}
              onChange={(e) => change({ id: e.target.value })}
            />
          )}
        </Field>
      </div>
      <button
        type="button"
        data-testid="connect-advanced"
        aria-expanded={isAdvanced}
        className="mt-3 flex items-center gap-1.5 text-xs text-text-muted hover:text-text"
        onClick={() => setIsAdvanced(!isAdvanced)}
      >
        <span className={isAdvanced ? "rotate-90" : ""}>
          <ChevronIcon size={12} />
        </span>
        Advanced <span className="text-text-faint">address, protocol, context window, price</span>
      </button>
      {isAdvanced && test ? <Notes test={test} /> : null}
      {isAdvanced ? <Advanced draft={draft} withAddress={!needsAddress} onChange={change} /> : null}
    </Dialog>
  );
}

interface PartProps {
  draft: Draft;
  onChange: (part: Partial<Draft>, tests?: boolean) => void;
}

interface AddressProps extends PartProps {
  preset: PresetView | undefined;
  problem: Problem | undefined;
}

function Address({ draft, preset, problem, onChange }: AddressProps) {
  const example = preset?.id === "azure" ? "https://NAME.openai.azure.com/openai/v1" : "localhost:8000";
  return (
    <Field label="Address" name="base_url" error={problem?.message} hint={problem?.hint} className="mb-3">
      {(c) => (
        <Input
          {...c}
          data-testid="connect-address"
          spellCheck={false}
          placeholder={example}
          value={draft.address}
          onChange={(e) => onChange({ address: e.target.value })}
        />
      )}
    </Field>
  );
}

interface KeyFieldProps extends PartProps {
  preset: PresetView | undefined;
  problem: Problem | undefined;
  stored: boolean;
  needsKey: boolean;
  busy: Busy;
  tested: boolean;
  onTest: () => void;
  onCancel: () => void;
}

/** Where the key comes from. Pasting a key starts the test. */
function KeyField(p: KeyFieldProps) {
  const [isShown, setIsShown] = useState(false);
  const [isVariable, setIsVariable] = useState(p.draft.keyEnv !== "");
  const label = p.needsKey ? "API key" : "API key (optional)";
  const variable = p.preset?.key_variable ?? "";
  return (
    <Field
      label={isVariable ? "API key environment variable" : label}
      name="key"
      error={p.problem?.message}
      hint={p.problem?.hint}
      note={
        p.preset?.key_page ? (
          <ExternalLink className="text-accent hover:underline" href={p.preset.key_page} testid="connect-get-key">
            Get a key
          </ExternalLink>
        ) : undefined
      }
    >
      {(c) => (
        <>
          <div className="flex gap-2">
            {isVariable ? (
              <Input
                {...c}
                data-testid="connect-variable"
                spellCheck={false}
                placeholder={variable || "MY_API_KEY"}
                value={p.draft.keyEnv}
                onChange={(e) => p.onChange({ keyEnv: e.target.value.trim(), key: "" })}
              />
            ) : (
              <div className="relative min-w-0 flex-1">
                <Input
                  {...c}
                  data-testid="connect-key"
                  type={isShown ? "text" : "password"}
                  autoComplete="off"
                  spellCheck={false}
                  className="pr-9 font-mono"
                  placeholder={p.stored ? "The key is stored. Paste another one to replace it." : ""}
                  value={p.draft.key}
                  onChange={(e) => p.onChange({ key: e.target.value })}
                  onPaste={(e) => {
                    const key = e.clipboardData.getData("text").trim();
                    if (!key) return;
                    e.preventDefault();
                    p.onChange({ key, keyEnv: "" }, p.draft.address !== "");
                  }}
                />
                <span className="absolute top-0.5 right-1">
                  <IconButton label={isShown ? "Hide the key" : "Show the key"} onClick={() => setIsShown(!isShown)}>
                    <EyeIcon />
                  </IconButton>
                </span>
              </div>
            )}
            <Button
              data-testid="connect-test"
              className="h-[33px]"
              disabled={p.busy === "save"}
              onClick={p.busy === "test" ? p.onCancel : p.onTest}
            >
              {p.busy === "test" ? "Cancel test" : p.tested ? "Test again" : "Test"}
            </Button>
          </div>
          <div className="mt-1 flex items-center gap-2 text-xs text-text-faint">
            <KeyPlace isVariable={isVariable} />
            <span className="flex-1" />
            {p.preset?.has_key && p.draft.keyEnv !== variable ? (
              <button
                type="button"
                data-testid="connect-env"
                className="text-accent hover:underline"
                onClick={() => {
                  setIsVariable(true);
                  p.onChange({ keyEnv: variable, key: "" }, true);
                }}
              >
                Use {variable} instead
              </button>
            ) : (
              <button
                type="button"
                data-testid="connect-source"
                className="text-accent hover:underline"
                onClick={() => {
                  setIsVariable(!isVariable);
                  p.onChange({ keyEnv: "", key: "" });
                }}
              >
                {isVariable ? "Paste a key instead" : "Use an environment variable"}
              </button>
            )}
          </div>
        </>
      )}
    </Field>
  );
}

function KeyPlace({ isVariable }: { isVariable: boolean }) {
  const { answer: where } = useAnswer("SecretAPI.Where");
  const words = isVariable
    ? "The key is read from the environment and not stored."
    : where?.place === "file"
      ? "Stored in an encrypted file. No system keyring is used."
      : "Stored in the system keyring. The agent never sees it.";
  return (
    <span className="flex items-center gap-1.5" data-testid="connect-place">
      <LockIcon size={13} /> {words}
    </span>
  );
}

interface NoModelsProps {
  isTested: boolean;
  model: string;
  onChange: (model: string) => void;
}

/** A field for the name of a model, when the server has no list. */
function NoModels({ isTested, model, onChange }: NoModelsProps) {
  const [isTyping, setIsTyping] = useState(model !== "");
  return (
    <section className="mt-4">
      <h3 className="mb-1.5 text-xs font-medium">Model</h3>
      {isTyping ? (
        <Input
          data-testid="connect-model-name"
          aria-label="Model name"
          spellCheck={false}
          placeholder="as the server calls it"
          value={model}
          onChange={(e) => onChange(e.target.value)}
        />
      ) : (
        <div className="rounded-md border border-dashed border-border-strong bg-bg px-4 py-5 text-center text-xs">
          <p className="font-medium text-text-muted">
            {isTested ? "No models to choose from" : "Models appear here after the test"}
          </p>
          <p className="mt-0.5 text-text-faint">
            Or{" "}
            <button
              type="button"
              data-testid="connect-type-model"
              className="text-accent hover:underline"
              onClick={() => setIsTyping(true)}
            >
              enter a model name
            </button>{" "}
            yourself
          </p>
        </div>
      )}
    </section>
  );
}

function Advanced({ draft, withAddress, onChange }: PartProps & { withAddress: boolean }) {
  const number = (name: "window" | "inputPrice" | "outputPrice", label: string, placeholder: string) => (
    <Field label={label}>
      {(c) => (
        <Input
          {...c}
          data-testid={`connect-${name}`}
          inputMode="decimal"
          placeholder={placeholder}
          value={draft[name]}
          onChange={(e) => onChange({ [name]: e.target.value.trim() })}
        />
      )}
    </Field>
  );
  return (
    <div className="mt-2 grid grid-cols-2 gap-3">
      {withAddress ? (
        <Field label="Address" className="col-span-2">
          {(c) => (
            <Input
              {...c}
              data-testid="connect-address"
              spellCheck={false}
              value={draft.address}
              onChange={(e) => onChange({ address: e.target.value })}
            />
          )}
        </Field>
      ) : null}
      <Field label="Protocol">
        {(c) => (
          <Select
            {...c}
            data-testid="connect-kind"
            value={draft.kind}
            onChange={(e) => onChange({ kind: e.target.value })}
          >
            <option value="openai">OpenAI-compatible (chat completions)</option>
            <option value="openai-responses">OpenAI Responses API</option>
            <option value="anthropic">Anthropic</option>
          </Select>
        )}
      </Field>
      {number("window", "Context window in tokens", "known or reported value")}
      {number("inputPrice", "Input price in USD per million tokens", "published price")}
      {number("outputPrice", "Output price in USD per million tokens", "published price")}
    </div>
  );
}
