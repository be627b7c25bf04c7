import { whyNoTool } from "@homeostat/kube";

/** Programs of Debian packages that the suite compares with, and the argument that prints their version. */
const programs = [
  ["/usr/sbin/nginx", "-v", "nginx-light"],
  ["/usr/sbin/haproxy", "-v", "haproxy"],
] as const;

/**
 * Returns the reason why the other proxies cannot be run here, or undefined.
 *
 * Throws instead if `HOMEOSTAT_E2E_REQUIRED` is set: CI must not skip the suite.
 */
export async function whyNoPeers(): Promise<string | undefined> {
  for (const [program, argument, debianPackage] of programs) {
    if ((await whyNoTool(program, [argument])) === undefined) continue;
    const message = `${program} is missing; run: apt-get install ${debianPackage}`;
    if (process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) throw new Error(message);
    return message;
  }
  return undefined;
}
