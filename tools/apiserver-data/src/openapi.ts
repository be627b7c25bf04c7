import { brotliCompressSync, constants } from "node:zlib";
import { servedGroups } from "./groups.ts";
import { entriesOf, field, type Server, textField } from "./server.ts";

/** A document of the index at `/openapi/v3`: its text and the hash from the server. */
export interface Document {
  readonly key: string;
  readonly hash: string;
  readonly text: string;
}

/** Reads the documents of the served groups and of paths without a group. */
export async function readDocuments(server: Server): Promise<Document[]> {
  const documents: Document[] = [];
  for (const [key, entry] of entriesOf(field(await server.json("/openapi/v3"), "paths"))) {
    const url = textField(entry, "serverRelativeURL");
    const group = key.startsWith("apis/") ? (key.split("/")[1] ?? "") : "";
    if (!servedGroups.includes(group)) continue;
    documents.push({ key, hash: url.slice(url.indexOf("hash=") + 5), text: await server.text(url) });
  }
  return documents.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** Compresses all texts together, because they have much in common. */
export function pack(texts: readonly string[]): string {
  const bytes = Buffer.from(texts.join(""), "utf8");
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params }).toString("base64");
}
