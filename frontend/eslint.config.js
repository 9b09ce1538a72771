import { readdirSync } from "node:fs";
import js from "@eslint/js";
import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

const features = readdirSync(`${import.meta.dirname}/src/features`);

/** The imports that are forbidden for each folder: features never import one another. */
const boundaries = [
  { files: ["src/lib/**"], deny: ["bridge", "store", "panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/bridge/**"], deny: ["store", "panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/ui/**"], deny: ["bridge", "store", "panes", "features", "shell", "gallery"] },
  { files: ["src/store/**"], deny: ["panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/connect/**"], deny: ["panes", "features", "shell", "gallery"] },
  { files: ["src/panes/**"], deny: ["shell", "gallery"] },
  { files: ["src/shell/**"], deny: ["gallery"] },
  ...features.map((f) => ({
    files: [`src/features/${f}/**`],
    deny: ["panes", "shell", "gallery", ...features.filter((o) => o !== f).map((o) => `features/${o}`)],
  })),
];

export default tseslint.config(
  { ignores: ["dist", "dist-gallery", "node_modules", "wailsjs", "src/bridge/types.gen.ts"] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((c) => ({ ...c, files: ["**/*.{ts,tsx}"] })),
  {
    files: ["**/*.{ts,tsx}"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "no-restricted-imports": ["error", { patterns: ["**/wailsjs/**"] }],
    },
  },
  {
    files: ["scripts/**"],
    languageOptions: { globals: { process: "readonly", console: "readonly", document: "readonly" } },
  },
  ...boundaries.map((w) => ({
    files: w.files.map((f) => `${f}/*.{ts,tsx}`),
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            ...w.deny.map((d) => ({ group: [`@/${d}`, `@/${d}/**`] })),
            { group: ["**/wailsjs/**"] },
            { group: ["../**"] },
          ],
        },
      ],
    },
  })),
);
