/** A base image of a Dockerfile, pinned by its digest. */
export interface BaseImage {
  /** Name and tag: `node:24-bookworm-slim`. */
  readonly image: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

const from = /^FROM\s+(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?\s*$/i;
const pinned = /^([^@]+)@(sha256:[0-9a-f]{64})$/;

/** Returns the base images of a Dockerfile, and a problem for each that is not pinned by digest. */
export function baseImages(dockerfile: string): {
  readonly images: readonly BaseImage[];
  readonly problems: readonly string[];
} {
  const images: BaseImage[] = [];
  const problems: string[] = [];
  const stages = new Set<string>();
  for (const line of dockerfile.split("\n")) {
    const [, image = "", stage = ""] = from.exec(line) ?? [];
    if (image === "") continue;
    if (!stages.has(image)) {
      const [, name, digest] = pinned.exec(image) ?? [];
      if (name !== undefined && digest !== undefined) images.push({ image: name, digest });
      else problems.push(`${line}: pin the image by its digest, as in name:tag@sha256:...`);
    }
    if (stage !== "") stages.add(stage);
  }
  return { images, problems };
}
