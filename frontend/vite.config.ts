import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const path = (p: string) => fileURLToPath(new URL(p, import.meta.url));

/** The script and the style sheet of exported goals, each as one file that Go writes into the document. */
const viewer = {
  outDir: "dist/export",
  copyPublicDir: false,
  cssCodeSplit: false,
  modulePreload: false as const,
  rolldownOptions: {
    input: path("./src/export/main.tsx"),
    checks: { emptyImportMeta: false }, // Vite's helper for dynamic imports, of which none is left
    output: {
      format: "iife" as const,
      codeSplitting: false,
      comments: { legal: true },
      entryFileNames: "viewer.js",
      assetFileNames: "viewer[extname]",
    },
  },
};

/** go:embed needs a file in dist even before the first build, and vite empties the folder. */
function keepPlaceholder(): Plugin {
  return {
    name: "keep-placeholder",
    apply: "build",
    closeBundle() {
      writeFileSync(path("./dist/.gitkeep"), "");
    },
  };
}

export default defineConfig(({ mode }) => {
  const gallery = mode === "gallery";
  return {
    plugins: [react(), tailwindcss(), ...(mode === "production" ? [keepPlaceholder()] : [])],
    resolve: { alias: { "@": path("./src") } },
    base: "./",
    // The documents beside this folder are part of the page.
    server: { fs: { allow: [path("."), path("../docs")] } },
    build: {
      target: "es2022",
      // Fonts as data URLs would need a wider content security policy in serve.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: gallery ? path("./gallery.html") : path("./index.html") },
      chunkSizeWarningLimit: 900,
      ...(mode === "export" ? viewer : {}),
    },
    test: {
      environment: "happy-dom",
      // A context for each file instead of a process, which takes twice as long.
      pool: "vmThreads",
      setupFiles: "./src/testing/environment.ts",
      include: ["{src,injected}/**/*.test.{ts,tsx}"],
      restoreMocks: true,
      // The default leaves one processor idle, which is half of a machine with two.
      maxWorkers: "100%",
      // Against hanging alone: a busy machine takes seconds for what is done at once otherwise.
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  };
});
