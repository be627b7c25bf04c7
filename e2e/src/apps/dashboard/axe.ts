// Accessibility checks of axe-core, in the page that a browser shows.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { installNodePeer } from "@homeostat/kube";
import type { Browser } from "../../harness/browser.ts";
import { repository } from "../../harness/repository.ts";

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Installs axe-core. Returns its script. */
export async function installAxe(): Promise<string> {
  const { path } = await installNodePeer({ source: join(repository, "e2e/clients/axe"), name: "axe" });
  return execFileSync(process.execPath, [path], { encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
}

/** Returns the serious and critical findings of the page, each with the elements that it is about. */
export async function seriousFindings(browser: Browser, script: string): Promise<string[]> {
  await browser.evaluate(`${script}\n;undefined`);
  const text = await browser.evaluate("axe.run().then(({ violations }) => JSON.stringify(violations))");
  const findings = JSON.parse(String(text)) as readonly Finding[];
  return findings
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
