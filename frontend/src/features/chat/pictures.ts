import { attachment } from "@/store/chatactions";
import type { App } from "@/store/app";

/** The longest side of a picture that is sent, in pixels: models see no more, and pay for it. */
const maxSide = 1_568;
const maxBytes = 20_000_000;

/** Attaches pictures to the next message, as PNG and no larger than a model sees. */
export async function attachPictures(app: App, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const image = await pngOf(file);
    if (image) app.chat.attach(attachment({ kind: "image", title: file.name || "Picture", image }));
    else {
      const hint = "attach a PNG, JPEG or WebP file of at most 20 MB";
      app.notices.problem({
        code: "invalid",
        message: `${file.name || "This"} is no picture that can be read.`,
        hint,
        field: "",
      });
    }
  }
}

/** Returns a picture as base64 of a PNG, "" if it cannot be read. */
async function pngOf(file: File): Promise<string> {
  if (file.size > maxBytes) return "";
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
  } catch {
    return "";
  }
}
