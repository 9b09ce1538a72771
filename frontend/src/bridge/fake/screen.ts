/** The output of the fake terminals, by pane. */
const esc = "\u001b";
const dim = (s: string) => `${esc}[90m${s}${esc}[0m`;
const green = (s: string) => `${esc}[32m${s}${esc}[0m`;
const yellow = (s: string) => `${esc}[33m${s}${esc}[0m`;
const line = "\r\n";

export const outputs: Record<string, string> = {
  t1: [
    `${dim("edge-1 %")} tail -f /var/log/nginx/access.log`,
    `10.0.4.12 - "GET /healthz" ${green("200")} 2ms`,
    `10.0.4.12 - "GET /healthz" ${green("200")} 1ms`,
    `10.0.4.31 - "POST /api/cart" ${yellow("429")} 3ms`,
    "",
  ].join(line),
  t2: [
    `${green("shop $")} npm run build`,
    dim("vite v8.3.8 building for production…"),
    `${green("✓")} 184 modules transformed.`,
    "dist/index.html           0.61 kB",
    "dist/assets/index.js    142.30 kB",
    green("✓ built in 1.42s"),
    `${green("shop $")} python3 -m http.server 8080 -d dist`,
    "Serving HTTP on 127.0.0.1 port 8080 …",
    '127.0.0.1 - - "GET / HTTP/1.1" 200 -',
    "",
  ].join(line),
};

export const prompt = `${green("ada $")} `;

/** A picture of a small shop as JPEG; null without a canvas. */
export async function shopPage(width: number, height: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (typeof OffscreenCanvas === "undefined") return null;
  const canvas = new OffscreenCanvas(width, height);
  const g = canvas.getContext("2d");
  if (!g) return null;
  const font = (weight: number, size: number) => {
    g.font = `${weight} ${size}px "Inter Variable", sans-serif`;
  };
  g.fillStyle = "#fff";
  g.fillRect(0, 0, width, height);
  g.fillStyle = "#1b2230";
  font(700, 24);
  g.fillText("Cardboard Legacy", 34, 50);
  g.fillStyle = "#5b6472";
  font(400, 14);
  g.fillText("Your cart", 34, 78);
  g.strokeStyle = "#dfe3ea";
  g.beginPath();
  g.roundRect(34, 102, Math.min(width - 68, 474), 94, 8);
  g.stroke();
  g.fillStyle = "#ffb26b";
  g.beginPath();
  g.roundRect(50, 116, 52, 66, 4);
  g.fill();
  g.fillStyle = "#1b2230";
  font(600, 14);
  g.fillText("1993 Foil, near mint", 120, 144);
  g.fillStyle = "#5b6472";
  font(400, 14);
  g.fillText("1 × $42.00", 120, 166);
  g.fillStyle = "#2059e8";
  g.beginPath();
  g.roundRect(268, 270, 104, 38, 6);
  g.fill();
  g.fillStyle = "#fff";
  font(600, 14);
  g.fillText("Check out", 288, 294);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
  return new Uint8Array(await blob.arrayBuffer());
}
