import { lazy, Suspense, useState } from "react";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { DotsIcon } from "@/ui/icons";
import { Menu } from "@/ui/menu";

const FiguresDialog = lazy(() => import("./figures/figuresdialog"));
const SpendDialog = lazy(() => import("./plots/spenddialog"));

const overviews = [
  { id: "spend", label: "Spend by day…" },
  { id: "figures", label: "How well does it work…" },
] as const;

/** What all goals together spent and reached: buttons where the window is wide enough for them, otherwise a menu. */
export function Overviews({ wide = false }: { wide?: boolean }) {
  const [dialog, setDialog] = useState<(typeof overviews)[number]["id"] | "">("");
  const close = () => setDialog("");
  return (
    <>
      {wide
        ? overviews.map(({ id, label }) => (
            <Button
              key={id}
              look="quiet"
              data-testid={`${id}-open`}
              className="max-[1200px]:hidden"
              aria-haspopup="dialog"
              onClick={() => setDialog(id)}
            >
              {label}
            </Button>
          ))
        : null}
      <Menu items={overviews.map((o) => ({ ...o, takesFocus: true, run: () => setDialog(o.id) }))}>
        <IconButton
          label="Figures of all goals"
          data-testid="overviews"
          className={cx("size-[30px]! max-[640px]:size-11!", wide && "min-[1201px]:hidden")}
        >
          <DotsIcon />
        </IconButton>
      </Menu>
      <Suspense fallback={null}>
        {dialog === "spend" ? <SpendDialog onClose={close} /> : null}
        {dialog === "figures" ? <FiguresDialog onClose={close} /> : null}
      </Suspense>
    </>
  );
}
