import { whyNoTool } from "@homeostat/kube";

/** Programs of Debian packages, and the argument that prints their version. */
const debianPrograms = {
  curl: "curl",
  nghttp: "nghttp2-client",
  h2load: "nghttp2-client",
  chromium: "chromium",
  go: "golang",
} as const;

/**
 * Returns the reason why a program cannot be run here, or undefined.
 *
 * Throws instead if `HOMEOSTAT_E2E_REQUIRED` is set: CI must not skip these suites.
 */
export async function whyNoProgram(...names: readonly (keyof typeof debianPrograms)[]): Promise<string | undefined> {
  for (const name of names) {
    if ((await whyNoTool(name, [name === "go" ? "version" : "--version"])) === undefined) continue;
    const message = `${name} is not installed; run: apt-get install ${debianPrograms[name]}`;
    if (process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) throw new Error(message);
    return message;
  }
  return undefined;
}
