// Installs the packages of the lock file when one that package.json names is not
// there in that version: after a pull nobody has to think of it.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const { dependencies, devDependencies } = read("package.json");
const missing = Object.entries({ ...dependencies, ...devDependencies }).filter(([name, version]) => {
  const path = `node_modules/${name}/package.json`;
  return !existsSync(path) || read(path).version !== version;
});
if (missing.length > 0) {
  console.error(
    `installing packages: ${missing.map(([name, version]) => `${name} ${version}`).join(", ")} are not there`,
  );
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
