// sbom.mjs VERSION OUTPUT PROGRAM... writes a CycloneDX bill of materials: the modules that Go recorded in the
// programs, and the npm packages of the page. It has no serial number and no time, so the same programs give the same
// file.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";

const [version, output, ...programs] = process.argv.slice(2);
const read = (program, args, options) =>
  JSON.parse(
    execFileSync(program, args, {
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    }),
  );

const boms = programs.map((program) => [
  basename(program),
  read(process.env.CYCLONEDX, ["bin", "-json", "-noserial", "-notimestamp", "-std", "-version", version, program]),
]);
boms.push([
  "page",
  read("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"], { cwd: "frontend" }),
]);

// The licences of Go modules, which cyclonedx-gomod does not read from programs, are in docs/licences.md.
const licences = new Map([["std", "BSD-3-Clause"]]);
for (const line of readFileSync("docs/licences.md", "utf8").split("\n")) {
  const cells = line.split("|").map((cell) => cell.trim());
  if (cells.length >= 4 && cells[1].includes(".")) licences.set(cells[1], cells.at(-2).replaceAll(" and ", " AND "));
}

const components = new Map();
const dependencies = new Map();
const parts = [];
for (const [name, bom] of boms) {
  const root = bom.metadata.component;
  const ref = `goalpost/${name}@${version}`;
  parts.push({ "bom-ref": ref, type: name === "page" ? "library" : "application", name, version });
  for (const c of bom.components ?? []) {
    if (c["bom-ref"] === root["bom-ref"]) continue;
    const expression = c.purl?.startsWith("pkg:golang/") && licences.get(c.name);
    components.set(c["bom-ref"], expression ? { ...c, licenses: [{ expression }] } : c);
  }
  for (const d of bom.dependencies ?? []) {
    const from = d.ref === root["bom-ref"] ? ref : d.ref;
    const on = dependencies.get(from) ?? new Set();
    for (const to of d.dependsOn ?? []) on.add(to);
    dependencies.set(from, on);
  }
}
for (const kind of ["pkg:golang/", "pkg:npm/"]) {
  if (![...components.values()].some((c) => c.purl?.startsWith(kind)))
    throw new Error(`no ${kind} in the bill of materials`);
}
const byRef = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const self = `goalpost@${version}`;
dependencies.set(self, new Set(parts.map((p) => p["bom-ref"])));
writeFileSync(
  output,
  JSON.stringify(
    {
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: {
        component: {
          "bom-ref": self,
          type: "application",
          name: "goalpost",
          version,
          licenses: [{ license: { id: "MIT" } }],
        },
      },
      components: [...parts, ...[...components.values()].sort((a, b) => byRef(a["bom-ref"], b["bom-ref"]))],
      dependencies: [...dependencies]
        .sort(([a], [b]) => byRef(a, b))
        .map(([ref, on]) => ({ ref, dependsOn: [...on].sort(byRef) })),
    },
    null,
    2,
  ) + "\n",
);
