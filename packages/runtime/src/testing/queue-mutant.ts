// Creates a copy of the compiled queue with one fault in it, without changing the product.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { WorkQueue } from "../queue/work-queue.ts";

/** One planted fault: a replacement of a piece of code in a file. */
export interface Fault {
  /** The visible effect of the fault. */
  readonly symptom: string;
  /** The file, such as `work-queue`. */
  readonly file: string;
  /** Code that occurs exactly once in the file. White space does not matter. */
  readonly code: string;
  readonly instead: string;
}

/** Returns the queue class with the fault. */
export async function plant({ file, code, instead }: Fault): Promise<typeof WorkQueue> {
  const pattern = new RegExp(code.trim().split(/\s+/).map(literally).join("\\s+"), "g");
  const urls = new Map<string, string>();
  /**
   * Returns the URL of a copy of a file of the queue. Imports are made absolute, since a `data:` URL has no folder.
   */
  const copy = (name: string): string => {
    const known = urls.get(name);
    if (known !== undefined) return known;
    let source = readFileSync(new URL(`../queue/${name}.js`, import.meta.url), "utf8");
    if (name === file) {
      assert.equal(source.match(pattern)?.length, 1, `${JSON.stringify(code)} does not occur once in ${file}`);
      source = source.replace(pattern, () => instead);
    }
    source = source.replace(/\/\/# sourceMappingURL=.*$/m, "").replace(/(?<=from ")[^"]+(?=")/g, (specifier) => {
      const own = /^\.\/([\w-]+)\.js$/.exec(specifier)?.[1];
      return own === undefined ? import.meta.resolve(specifier) : copy(own);
    });
    const url = `data:text/javascript,${encodeURIComponent(source)}`;
    urls.set(name, url);
    return url;
  };
  const module: { WorkQueue: typeof WorkQueue } = await import(copy("work-queue"));
  assert.ok(urls.has(file), `the queue does not import ${file}`);
  return module.WorkQueue;
}

function literally(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}
