import { readdirSync } from "node:fs";

const features = readdirSync(`${import.meta.dirname}/src/features`);

/** The imports that are forbidden for each folder: features never import one another. */
const boundaries = [
  { files: ["src/lib/**"], deny: ["agent", "bridge", "store", "panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/bridge/**"], deny: ["agent", "store", "panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/ui/**"], deny: ["agent", "bridge", "store", "panes", "features", "shell", "gallery"] },
  { files: ["src/store/**"], deny: ["agent", "panes", "features", "ui", "shell", "gallery"] },
  { files: ["src/agent/**"], deny: ["panes", "features", "shell", "gallery"] },
  { files: ["src/connect/**"], deny: ["panes", "features", "shell", "gallery"] },
  { files: ["src/folders/**"], deny: ["agent", "panes", "features", "shell", "gallery"] },
  { files: ["src/panes/**"], deny: ["shell", "gallery"] },
  { files: ["src/shell/**"], deny: ["gallery"] },
  ...features.map((f) => ({
    files: [`src/features/${f}/**`],
    deny: ["panes", "shell", "gallery", ...features.filter((o) => o !== f).map((o) => `features/${o}`)],
  })),
];

const errors = (names, prefix = "") =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [prefix + name, "error"]),
  );

const inAllFiles = errors(`
    for-direction no-async-promise-executor no-case-declarations no-compare-neg-zero no-cond-assign
    no-constant-binary-expression no-constant-condition no-control-regex no-debugger no-delete-var
    no-dupe-else-if no-duplicate-case no-empty no-empty-character-class no-empty-pattern no-empty-static-block no-ex-assign
    no-extra-boolean-cast no-fallthrough no-global-assign no-invalid-regexp no-irregular-whitespace
    no-loss-of-precision no-misleading-character-class no-nonoctal-decimal-escape no-prototype-builtins
    no-regex-spaces no-self-assign no-shadow-restricted-names no-sparse-arrays no-unexpected-multiline
    no-unsafe-finally no-unsafe-optional-chaining no-unused-labels no-unused-private-class-members
    no-useless-backreference no-useless-catch no-useless-escape require-yield use-isnan valid-typeof
`);

// What the compiler finds in TypeScript.
const inScripts = errors(`
    constructor-super getter-return no-class-assign no-const-assign no-dupe-class-members no-dupe-keys
    no-func-assign no-import-assign no-new-native-nonconstructor no-obj-calls no-redeclare no-setter-return
    no-this-before-super no-undef no-unreachable no-unsafe-negation no-unused-vars no-with
`);

const inTypeScript = {
  ...errors("no-var prefer-const prefer-rest-params prefer-spread"),
  ...errors("exhaustive-deps rules-of-hooks", "react/"),
  ...errors(
    `
    await-thenable ban-ts-comment consistent-type-imports no-array-constructor no-array-delete
    no-base-to-string no-deprecated no-duplicate-enum-values no-duplicate-type-constituents no-dynamic-delete
    no-empty-object-type no-explicit-any no-extra-non-null-assertion no-extraneous-class no-floating-promises
    no-for-in-array no-generated-empty-object-type no-implied-eval no-invalid-void-type no-meaningless-void-operator
    no-misused-new no-misused-promises no-misused-spread no-mixed-enums no-namespace
    no-non-null-asserted-nullish-coalescing no-non-null-asserted-optional-chain no-non-null-assertion
    no-redundant-type-constituents no-require-imports no-this-alias no-unnecessary-boolean-literal-compare
    no-unnecessary-condition no-unnecessary-template-expression no-unnecessary-type-arguments no-unnecessary-type-assertion
    no-unnecessary-type-constraint no-unnecessary-type-conversion no-unnecessary-type-parameters
    no-unsafe-argument no-unsafe-assignment no-unsafe-call no-unsafe-declaration-merging no-unsafe-enum-assignment
    no-unsafe-enum-comparison no-unsafe-function-type no-unsafe-member-access no-unsafe-return
    no-unsafe-unary-minus no-unused-vars no-useless-constructor no-useless-default-assignment no-wrapper-object-types
    only-throw-error prefer-as-const prefer-literal-enum-member prefer-namespace-keyword
    prefer-promise-reject-errors prefer-reduce-type-parameter prefer-return-this-type related-getter-setter-pairs require-await
    triple-slash-reference unbound-method unified-signatures use-unknown-in-catch-callback-variable
    `,
    "typescript/",
  ),
  "typescript/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
  "typescript/no-unused-expressions": "error",
  "typescript/restrict-plus-operands": [
    "error",
    { allowAny: false, allowBoolean: false, allowNullish: false, allowNumberAndString: false, allowRegExp: false },
  ],
  "typescript/restrict-template-expressions": ["error", { allowNumber: true }],
  "typescript/return-await": ["error", "error-handling-correctness-only"],
};

const wails = { group: ["**/wailsjs/**"] };

export default {
  ignorePatterns: ["dist", "dist-gallery", "node_modules", "wailsjs"],
  plugins: ["typescript", "react"],
  categories: { correctness: "off" }, // the rules are the ones named here, whatever a version adds
  rules: inAllFiles,
  overrides: [
    { files: ["**/*.{js,mjs}"], rules: inScripts, env: { node: true } },
    { files: ["scripts/**"], globals: { document: "readonly" } },
    { files: ["**/*.{ts,tsx}"], rules: { ...inTypeScript, "no-restricted-imports": ["error", { patterns: [wails] }] } },
    ...boundaries.map((w) => ({
      files: w.files.map((f) => `${f}/*.{ts,tsx}`),
      rules: {
        "no-restricted-imports": [
          "error",
          { patterns: [...w.deny.map((d) => ({ group: [`@/${d}`, `@/${d}/**`] })), wails, { group: ["../**"] }] },
        ],
      },
    })),
  ],
};
