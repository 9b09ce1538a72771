import { useEffect, useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { asProblem } from "@/bridge/problem";
import type { DeviceLink, DeviceOverview } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useAnswer } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dialog } from "@/ui/dialog";
import { FormDialog, FormInput } from "@/ui/form";
import { Group, SwitchRow, TextRow, type SectionProps } from "./rows";

/** All networks of this computer. */
const everywhere = "0.0.0.0:4444";

/** Phones and other browsers: whether they can reach Goalpost, how they log in, and who is logged in. */
export function Devices({ settings, saveRow, save }: SectionProps) {
  const app = useApp();
  const { answer, reload } = useAnswer("DeviceAPI.Overview");
  const [link, setLink] = useState<DeviceLink | null>(null);
  const [asksPassword, setAsksPassword] = useState(false);
  const isShared = settings.share_address !== "";
  useEffect(() => void reload(), [reload, settings]); // the host follows the settings before it reports their change
  if (!answer) return null;
  const add = async () => setLink((await app.ask("DeviceAPI.NewLink")) ?? null);
  const removePassword = async () => {
    if (await app.ask("DeviceAPI.SetPassword", "")) await reload();
  };
  return (
    <>
      <Group title="Access">
        <SwitchRow
          title="Let other devices in"
          text="A phone or another computer can do here what you can do, once you have logged it in"
          testid="share"
          on={isShared}
          onChange={(on) => void save({ share_address: on ? everywhere : "" })}
        />
        {isShared ? (
          <>
            <TextRow
              title="Address to listen on"
              text={`${everywhere} is every network of this computer`}
              testid="share-address"
              value={settings.share_address}
              onSave={(share_address) => saveRow({ share_address })}
            />
            <Reach sharing={answer.sharing} />
          </>
        ) : null}
        <div className="flex flex-wrap items-center gap-2 border-t border-border px-4 py-2.5">
          <div className="min-w-0 flex-1">
            <p className="font-medium">Password</p>
            <p className="text-xs text-text-faint">
              {answer.has_password
                ? "Devices log in with a link or with the password that you set."
                : "Devices log in with a link that works once. A password lets them log in without you."}
            </p>
          </div>
          {answer.has_password ? (
            <Button look="quiet" data-testid="device-password-remove" onClick={() => void removePassword()}>
              Remove
            </Button>
          ) : null}
          <Button data-testid="device-password" onClick={() => setAsksPassword(true)}>
            {answer.has_password ? "Change…" : "Set a password…"}
          </Button>
        </div>
      </Group>
      <List overview={answer} onAdd={() => void add()} onRevoked={reload} />
      {link ? (
        <LinkDialog
          link={link}
          onClose={() => {
            setLink(null);
            void reload();
          }}
        />
      ) : null}
      {asksPassword ? (
        <PasswordForm
          onClose={() => setAsksPassword(false)}
          onSaved={() => {
            setAsksPassword(false);
            void reload();
          }}
        />
      ) : null}
    </>
  );
}

/** Where devices reach the program, or why they do not. */
function Reach({ sharing }: Pick<DeviceOverview, "sharing">) {
  if (sharing.problem) {
    return (
      <p role="alert" data-testid="share-problem" className="selectable border-t border-border px-4 py-2.5 text-bad">
        No device can log in: {sharing.problem}
      </p>
    );
  }
  if (!sharing.url) return null;
  return (
    <div data-testid="share-url" className="selectable border-t border-border px-4 py-2.5 text-xs text-text-faint">
      <p>
        Devices open <span className="font-mono text-text">{sharing.url}</span>
      </p>
      <p className="mt-1">
        Their browsers warn until they have installed the certificate at{" "}
        <span className="font-mono">{sharing.authority}</span>, whose SHA-256 is{" "}
        <span className="font-mono break-all">{sharing.fingerprint}</span>.
      </p>
    </div>
  );
}

interface ListProps {
  overview: DeviceOverview;
  onAdd: () => void;
  onRevoked: () => Promise<void>;
}

function List({ overview, onAdd, onRevoked }: ListProps) {
  const app = useApp();
  const devices = overview.devices ?? [];
  const revoke = async (id: string, name: string) => {
    if (!(await app.ask("DeviceAPI.Revoke", id))) return;
    app.notices.done(`${name} must log in again`);
    await onRevoked();
  };
  return (
    <>
      <div className="mb-2 flex items-baseline">
        <Caption as="h2" className="flex-1">
          Logged in
        </Caption>
        <Button data-testid="device-add" disabled={!overview.sharing.url} onClick={onAdd}>
          Add a device…
        </Button>
      </div>
      <ul className="mb-7 rounded-lg border border-border bg-surface" data-testid="devices">
        {devices.map((d) => (
          <li
            key={d.id}
            data-testid="device"
            className="flex items-center gap-2 border-b border-border px-4 py-2.5 last:border-b-0"
          >
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">{d.name}</p>
              <p className="truncate text-xs text-text-faint">
                from {d.address} · by {d.by} since {new Date(d.since).toLocaleString()} · last seen{" "}
                {new Date(d.seen).toLocaleString()}
              </p>
            </div>
            <Button
              look="quiet"
              aria-label={`End login of ${d.name}`}
              data-testid="device-revoke"
              onClick={() => void revoke(d.id, d.name)}
            >
              End login
            </Button>
          </li>
        ))}
        {devices.length === 0 ? (
          <li className="px-4 py-3 text-text-faint">
            {overview.sharing.url
              ? "No device is logged in. Add one and scan its code with the camera of your phone."
              : "No device is logged in, and none can log in until you let other devices in."}
          </li>
        ) : null}
      </ul>
    </>
  );
}

interface LinkDialogProps {
  link: DeviceLink;
  onClose: () => void;
}

/** A link that logs in one device, as a QR code for its camera. */
function LinkDialog({ link, onClose }: LinkDialogProps) {
  const app = useApp();
  const rows = link.qr ?? [];
  const until = new Date(link.expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const copy = async () => {
    if (await writeClipboard(link.url)) app.notices.done("The link is copied");
  };
  return (
    <Dialog
      open
      title="Add a device"
      description="A code that logs in one device"
      help="guide/serve"
      testid="device-link"
      onClose={onClose}
    >
      <p>Scan this with the camera of the device and open the link. It logs in one device, until {until}.</p>
      <svg
        role="img"
        aria-label="QR code of the link"
        viewBox={`-2 -2 ${rows.length + 4} ${rows.length + 4}`}
        shapeRendering="crispEdges"
        className="mx-auto my-3 block size-60 rounded-lg bg-white"
      >
        <path d={rows.map(pathOfRow).join("")} fill="#000" />
      </svg>
      <div className="flex items-center gap-2">
        <p className="selectable min-w-0 flex-1 font-mono text-xs break-all text-text-faint">{link.url}</p>
        <Button data-testid="device-link-copy" onClick={() => void copy()}>
          Copy the link
        </Button>
      </div>
    </Dialog>
  );
}

/** Draws the dark squares of a row. */
function pathOfRow(row: string, y: number): string {
  return row
    .split("")
    .map((square, x) => (square === "#" ? `M${x} ${y}h1v1h-1z` : ""))
    .join("");
}

interface PasswordFormProps {
  onClose: () => void;
  onSaved: () => void;
}

function PasswordForm({ onClose, onSaved }: PasswordFormProps) {
  const app = useApp();
  const [password, setPassword] = useState("");
  const save = async () => {
    try {
      await app.bridge.call("DeviceAPI.SetPassword", password);
    } catch (reason) {
      return asProblem(reason);
    }
    return null;
  };
  return (
    <FormDialog
      help="guide/serve"
      name="device-password"
      title="Password for other devices"
      description="Devices log in with it"
      aside="Devices that logged in with the former one must log in again."
      fields={["password"]}
      save={save}
      onClose={onClose}
      onSaved={onSaved}
    >
      <FormInput
        name="password"
        label="Password"
        type="password"
        note="12 characters or more, such as four random words"
        value={password}
        onChange={setPassword}
      />
    </FormDialog>
  );
}
