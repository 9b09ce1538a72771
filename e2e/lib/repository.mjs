// The repository that goals of the tests change with shell commands: two branches, a script and a program to build.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes the repository in an empty folder: main is checked out, the branch next has another version.txt. */
export function makeRepository(dir) {
  mkdirSync(join(dir, "lib"), { recursive: true });
  writeFileSync(join(dir, "colour.js"), 'export const colour = "red";\n');
  writeFileSync(join(dir, "lib", "old.sh"), "#!/bin/sh\necho old\n", { mode: 0o755 });
  writeFileSync(join(dir, "version.txt"), "1\n");
  writeFileSync(join(dir, "main.c"), "int main(void) { return 0; }\n");
  writeFileSync(join(dir, "Makefile"), "build/program: main.c\n\tmkdir -p build\n\t$(CC) -o $@ main.c\n");
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: dir });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "one");
  git("checkout", "-q", "-b", "next");
  writeFileSync(join(dir, "version.txt"), "2\n");
  git("commit", "-qam", "two");
  git("checkout", "-q", "main");
}

/** Returns a hash of every byte in git's own folder. */
export function hashOfGit(dir) {
  return execFileSync("sh", ["-c", "find .git -type f | sort | xargs sha256sum | sha256sum"], { cwd: dir }).toString();
}
