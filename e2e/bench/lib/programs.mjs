// The path of the program that is measured.
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const goalpost = `${root}bin/goalpost`;
