import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isRecord } from "../repository.ts";

/** Options of a {@link startRegistry}. */
export interface RegistryOptions {
  /** Paths of the archives that the registry serves. */
  readonly archives: readonly string[];
  /** URL of the registry that has all other packages. */
  readonly upstream: string;
  /** Port on 127.0.0.1. Default: a free one. */
  readonly port?: number;
}

/** A running registry. */
export interface Registry extends AsyncDisposable {
  /** URL for the setting `registry` of npm, pnpm and yarn. */
  readonly url: string;
  /** Names of the packages that it serves itself. */
  readonly names: readonly string[];
  /** Paths of requests for packages that were sent to the upstream registry. */
  readonly redirected: readonly string[];
}

interface ServedPackage {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly archive: Buffer;
  readonly file: string;
}

/**
 * Starts a registry for npm on the loopback interface that serves archives of packages, and redirects requests for other packages.
 *
 * It reads only, and has one version of each package.
 */
export async function startRegistry({ archives, upstream, port = 0 }: RegistryOptions): Promise<Registry> {
  const packages = new Map<string, ServedPackage>();
  for (const path of archives) {
    const archive = await readFile(path);
    const manifest = manifestIn(archive);
    packages.set(String(manifest["name"]), { manifest, archive, file: basename(path) });
  }
  const redirected: string[] = [];
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry.invalid");
    const path = decodeURIComponent(pathname).slice(1);
    const [name = "", file] = path.split("/-/");
    const served = packages.get(name);
    if (served === undefined) {
      redirected.push(path);
      response.writeHead(302, { location: new URL(request.url ?? "/", upstream).href }).end();
    } else if (request.method !== "GET") response.writeHead(405).end();
    else if (file === undefined) sendDocument(request, response, served, name);
    else if (file === served.file)
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(served.archive);
    else response.writeHead(404).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the registry has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    names: [...packages.keys()],
    redirected,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends the document of a package, from which clients choose a version. */
function sendDocument(
  request: IncomingMessage,
  response: ServerResponse,
  { manifest, archive, file }: ServedPackage,
  name: string,
): void {
  const version = String(manifest["version"]);
  const dist = {
    tarball: `http://${request.headers.host ?? ""}/${name}/-/${file}`,
    integrity: `sha512-${createHash("sha512").update(archive).digest("base64")}`,
    shasum: createHash("sha1").update(archive).digest("hex"),
  };
  const document = { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
}

/** Reads `package/package.json` of a gzipped tar archive as npm writes it. */
export function manifestIn(archive: Buffer): Readonly<Record<string, unknown>> {
  for (const { path, content } of tarEntries(gunzipSync(archive))) {
    if (path !== join("package", "package.json")) continue;
    const manifest: unknown = JSON.parse(content.toString("utf8"));
    if (isRecord(manifest)) return manifest;
  }
  throw new Error("the archive contains no package/package.json");
}

/** A file of a tar archive. */
export interface TarEntry {
  readonly path: string;
  readonly content: Buffer;
}

const blockBytes = 512;

/** Lists the files of a tar archive in the ustar format: https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html. */
export function* tarEntries(tar: Buffer): Generator<TarEntry> {
  for (let offset = 0; offset + blockBytes <= tar.length;) {
    const text = (from: number, length: number): string =>
      tar.toString("utf8", offset + from, offset + from + length).replace(/\0.*$/s, "");
    const name = text(0, 100);
    if (name === "") return;
    const bytes = Number.parseInt(text(124, 12), 8);
    const prefix = text(345, 155);
    const start = offset + blockBytes;
    yield { path: prefix === "" ? name : `${prefix}/${name}`, content: tar.subarray(start, start + bytes) };
    offset = start + Math.ceil(bytes / blockBytes) * blockBytes;
  }
}
