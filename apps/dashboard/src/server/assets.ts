import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { isList, isRecord, once } from "@homeostat/core";
import { textIn } from "../health/fields.ts";
import { createRunbook, type Runbook, type RunbookEntry } from "../runbook/runbook.ts";
import { PageMissingError } from "../errors.ts";

/** Files of the page with their content types. */
const contentTypes = {
  "index.html": "text/html; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "page.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

/** Name of a file of the page. */
export type AssetName = keyof typeof contentTypes;

/** A file of the page. */
interface Asset {
  readonly body: Buffer;
  readonly compressed: () => Buffer;
  readonly tag: string;
}

/** The files of the page, and the explanations of conditions. */
export interface Assets {
  readonly runbook: Runbook;
  /** Sends a file, compressed if the client accepts it. */
  send(name: AssetName, request: IncomingMessage, response: ServerResponse): void;
}

/** Folder of the files, written by `bin/build-page.js`. */
const defaultFolder = new URL("../assets/", import.meta.url);

/** Reads the files of the page. Throws a {@link PageMissingError} if they were not built. */
export async function loadAssets(folder: URL = defaultFolder): Promise<Assets> {
  const read = async (name: string): Promise<Buffer> => {
    try {
      return await readFile(new URL(name, folder));
    } catch (cause) {
      throw new PageMissingError(
        `The page of the dashboard was not built: ${folder.pathname}${name} is missing. Run npm run build.`,
        { cause },
      );
    }
  };
  const names = Object.keys(contentTypes).filter(isAssetName);
  const files = new Map<AssetName, Asset>();
  for (const name of names) {
    const body = await read(name);
    const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    files.set(name, { body, tag, compressed: once(() => gzipSync(body, { level: 9 })) });
  }
  const runbook = createRunbook(entriesIn(JSON.parse((await read("runbook.json")).toString("utf8"))));
  return { runbook, send: (name, request, response) => sendAsset(name, files.get(name), { request, response }) };
}

/** Reports whether a name is that of a file of the page. */
export function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(contentTypes, name);
}

function sendAsset(
  name: AssetName,
  asset: Asset | undefined,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): void {
  if (asset === undefined) throw new PageMissingError(`${name} was not loaded.`);
  const headers = {
    "content-type": contentTypes[name],
    "cache-control": "no-cache",
    etag: asset.tag,
    vary: "accept-encoding",
  };
  if (request.headers["if-none-match"] === asset.tag) {
    response.writeHead(304, headers).end();
    return;
  }
  const isCompressed = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = isCompressed ? asset.compressed() : asset.body;
  response.writeHead(200, {
    ...headers,
    "content-length": body.length,
    ...(isCompressed ? { "content-encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

function entriesIn(value: unknown): RunbookEntry[] {
  if (!isList(value)) return [];
  return value.filter(isRecord).map((entry) => {
    const text = (name: string): string => textIn(entry, name);
    return {
      kind: text("kind"),
      type: text("type"),
      reason: text("reason"),
      meaning: text("meaning"),
      action: text("action"),
    };
  });
}
