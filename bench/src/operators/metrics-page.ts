import { request } from "node:http";

/**
 * Returns the number of reconciles in the text of a metrics page, of one controller or of all. Operators in Go have the same name for
 * it, which comes from controller-runtime.
 */
export function countReconciles(page: string, controller?: string): number {
  const samples = [...page.matchAll(/^controller_runtime_reconcile_total\{([^}]*)\} (\S+)$/gm)];
  if (samples.length === 0) throw new Error("the metrics contain no number of reconciles");
  return samples
    .filter(([, labels = ""]) => controller === undefined || labels.split(",").includes(`controller="${controller}"`))
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

/** Returns the text of a page that a program on this machine serves. */
export async function fetchText(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, timeout: 30_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(text));
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`no response to ${path} within 30 s`)));
    sent.on("error", reject);
    sent.end();
  });
}
