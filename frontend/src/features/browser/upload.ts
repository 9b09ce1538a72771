import { base64 } from "@/lib/base64";
import type { App } from "@/store/app";

const piece = 512 * 1024;

/** Lets the user choose files and uploads them; returns their paths on Go's side. */
export async function pickFiles(app: App, multiple: boolean): Promise<string[]> {
  const files = await chosen(multiple);
  const paths: string[] = [];
  for (const file of files) {
    const path = await upload(app, file);
    if (path) paths.push(path);
  }
  return paths;
}

/** The browser's own file chooser, which works in the window and on another machine. */
function chosen(multiple: boolean): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = multiple;
    input.addEventListener("change", () => resolve([...(input.files ?? [])]));
    input.addEventListener("cancel", () => resolve([]));
    input.click();
  });
}

export async function upload(app: App, file: File): Promise<string> {
  let path = "";
  for (let from = 0; from === 0 || from < file.size; from += piece) {
    const data = await base64(file.slice(from, from + piece));
    const answer = await app.ask("BrowserAPI.Upload", { name: file.name, path, data });
    if (answer === undefined) return "";
    path = answer;
  }
  return path;
}
