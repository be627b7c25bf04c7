import { createHash } from "node:crypto";

const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const hostPattern =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::\d+)?$/;
const nameLengthMax = 255;

/** The parts of an image name. */
export interface ImageName {
  /** `docker.io/library/redis`: always with registry and namespace. */
  readonly repository: string;
  /** `7`; `latest` when the name has neither tag nor digest; undefined with a digest and no tag. */
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** The error of an invalid image name, in the wording of the distribution reference parser. */
export interface ImageNameProblem {
  readonly problem: string;
}

/** Parses an image name: `redis`, `registry:5000/team/app:1.2@sha256:…`. */
export function readImageName(text: string): ImageName | ImageNameProblem {
  const [named = "", digest, ...rest] = text.split("@");
  if (rest.length > 0 || (digest !== undefined && !digestPattern.test(digest)))
    return { problem: "invalid reference format" };
  const colon = named.lastIndexOf(":");
  const hasTag = colon > named.lastIndexOf("/");
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !tagPattern.test(tag)) return { problem: "invalid reference format" };
  const { host, path } = splitHost(hasTag ? named.slice(0, colon) : named);
  if (path.length > nameLengthMax) return { problem: "repository name must not be more than 255 characters" };
  if (!hostPattern.test(host)) return { problem: "invalid reference format" };
  if (!path.split("/").every((part) => component.test(part))) {
    const isCaseOnly = path
      .toLowerCase()
      .split("/")
      .every((part) => component.test(part));
    if (!isCaseOnly) return { problem: "invalid reference format" };
    return { problem: `invalid reference format: repository name (${path}) must be lowercase` };
  }
  return { repository: `${host}/${path}`, tag: tag ?? (digest === undefined ? "latest" : undefined), digest };
}

/** Returns the name with registry and tag, as a container runtime shows it; an invalid name is returned unchanged. */
export function fullImageName(text: string): string {
  const name = readImageName(text);
  if ("problem" in name) return text;
  return name.tag === undefined ? `${name.repository}@${name.digest ?? ""}` : `${name.repository}:${name.tag}`;
}

/** Returns a stable image ID derived from the name; empty for an invalid name. */
export function imageId(text: string): string {
  const name = readImageName(text);
  if ("problem" in name) return "";
  return `${name.repository}@${name.digest ?? `sha256:${createHash("sha256").update(fullImageName(text)).digest("hex")}`}`;
}

/** Returns the last part of the repository: `redis` for `docker.io/library/redis:7`; empty for an invalid name. */
export function imageBaseName(text: string): string {
  const name = readImageName(text);
  return "problem" in name ? "" : (name.repository.split("/").at(-1) ?? "");
}

function splitHost(name: string): { host: string; path: string } {
  const slash = name.indexOf("/");
  const first = name.slice(0, slash);
  const isHost = slash > 0 && (/[.:A-Z]/.test(first) || first === "localhost");
  if (!isHost) return { host: "docker.io", path: name.includes("/") ? name : `library/${name}` };
  const path = name.slice(slash + 1);
  const isHub = first === "docker.io" || first === "index.docker.io";
  return { host: isHub ? "docker.io" : first, path: isHub && !path.includes("/") ? `library/${path}` : path };
}
