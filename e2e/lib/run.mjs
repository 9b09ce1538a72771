// Runs test files one after the other in one process, with one Chromium: run.mjs FILE...
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)));
