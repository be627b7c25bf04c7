import { createHash } from "node:crypto";
import { createReadStream, renameSync, rmSync } from "node:fs";
import { UsageError } from "@homeostat/core";
import { parseJson } from "../cache/shape.ts";
import { writeTar } from "./tar.ts";

/** Name and command of an image. */
export interface ImageSpec {
  readonly names: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** Numeric user and group. Default: root. */
  readonly user?: string;
  /** Environment variables, as `NAME=VALUE`. */
  readonly env?: readonly string[];
}

/**
 * Packs one layer as any number of images into a file for `docker load` and containerd.
 *
 * The file appears under its name when it is complete.
 */
export async function packImages(
  path: string,
  { layerPath, images, signal }: { layerPath: string; images: readonly ImageSpec[]; signal?: AbortSignal | undefined },
): Promise<void> {
  const digest = await fileDigest(layerPath);
  const layer = `${digest}.tar`;
  const configs = images.map((image) => {
    const content = Buffer.from(JSON.stringify(imageConfig(image, digest)));
    return { image, content, name: `${createHash("sha256").update(content).digest("hex")}.json` };
  });
  const manifest = configs.map(({ image, name }) => ({ Config: name, RepoTags: image.names, Layers: [layer] }));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const entries = [
      ...new Map(configs.map(({ name, content }) => [name, { name, content }])).values(),
      { name: layer, file: layerPath },
      { name: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
    ];
    await writeTar(temporary, entries, signal);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function imageConfig({ entrypoint, cmd, user = "", env = [] }: ImageSpec, layerDigest: string): object {
  return {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    rootfs: { type: "layers", diff_ids: [`sha256:${layerDigest}`] },
    config: {
      ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
      ...(cmd.length === 0 ? {} : { Cmd: cmd }),
      ...(user === "" ? {} : { User: user }),
      Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env],
      WorkingDir: "/",
    },
  };
}

async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    if (chunk instanceof Uint8Array) hash.update(chunk);
  }
  return hash.digest("hex");
}

/** Returns the full name of an image, by which a kubelet looks it up: `"me/op:1"` is `"docker.io/me/op:1"`. */
export function fullImageName(name: string): string {
  if (name.length > 255 || !/^[a-z0-9]([A-Za-z0-9._/:@-]*[A-Za-z0-9])?$/.test(name) || name.includes("//")) {
    throw new UsageError(`${JSON.stringify(name)} is not a valid image name; use a name such as docker.io/me/op:1.`);
  }
  const parts = name.split("/");
  const [first = ""] = parts;
  const hasHost = parts.length > 1 && (first.includes(".") || first.includes(":") || first === "localhost");
  const path = hasHost ? name : `docker.io/${parts.length === 1 ? "library/" : ""}${name}`;
  const last = path.slice(path.lastIndexOf("/") + 1);
  return /[:@]/.test(last) ? path : `${path}:latest`;
}

/** Parses a list of strings given as JSON on the command line: `'["node","/app/main.js"]'`. */
export function parseWords(what: string, source: string): string[] {
  const value = parseJson(source);
  const isWord = (word: unknown): word is string => typeof word === "string";
  if (Array.isArray(value) && value.every(isWord)) return value;
  throw new UsageError(`Invalid ${what} ${source}: must be a JSON list of strings, such as '["node","/app/main.js"]'.`);
}
