import { createContext, useContext } from "react";

/** The outputs of checks, by hash. */
export const OutputsContext = createContext<Readonly<Record<string, string>>>({});

/** The output with a hash, `""` if the file does not have it. */
export function useOutput(sha256: string | undefined): string {
  const outputs = useContext(OutputsContext);
  return sha256 && Object.hasOwn(outputs, sha256) ? (outputs[sha256] ?? "") : "";
}
