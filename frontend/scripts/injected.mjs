// Bundles the scripts that run in the pages of the browser panes, each into one file of backend/panes/browser. The files are
// committed, so that building the program needs no Node. With --check it writes nothing, and fails if one is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, URL } from "node:url";
import { build } from "vite";

const path = (p) => fileURLToPath(new URL(p, import.meta.url));
const names = ["page", "userprompts", "permissions", "devtools"];
process.chdir(path("..")); // the bundles contain paths from there
const check = process.argv.includes("--check");

/** bundle gives the code of one script. It is not minified: stack traces name its functions. */
async function bundle(name) {
  const { output } = await build({
    configFile: false,
    envFile: false,
    logLevel: "error",
    root: path("../injected"),
    build: {
      write: false,
      minify: false,
      target: "esnext",
      modulePreload: false,
      rolldownOptions: { input: path(`../injected/${name}.ts`), output: { format: "iife", comments: false } },
    },
  });
  const head = `// Built from frontend/injected/${name}.ts by "make injected": do not edit.\n`;
  return head + output[0].code;
}

for (const name of names) {
  const file = path(`../../backend/panes/browser/internal/script/${name}.js`);
  const code = await bundle(name);
  if (!check) writeFileSync(file, code);
  else if (readFileSync(file, "utf8") !== code) {
    console.error(`backend/panes/browser/internal/script/${name}.js is not what its sources give: run "make injected"`);
    process.exitCode = 1;
  }
}
