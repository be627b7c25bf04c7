export const serverImage = "neurallog/server:latest";
export const redisImage = "redis:7-alpine";
export const exporterImage = "oliver006/redis_exporter:v1.43.0";

export interface ImageReference {
  /** Everything before the tag and the digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

// Every repetition is bounded, so that matching time is linear in the length.
const image =
  /^((?:[A-Za-z0-9.-]{1,253}(?::\d{1,5})?\/)?[a-z0-9._-]{1,255}(?:\/[a-z0-9._-]{1,255}){0,20})(?::(\w[\w.-]{0,127}))?(?:@([a-z0-9+._-]{1,64}:[0-9a-fA-F]{32,128}))?$/;

/** Parses an image reference; undefined when it is invalid. */
export function parseImage(text: string): ImageReference | undefined {
  if (text.length > 255) return undefined;
  const [, repository, tag, digest] = image.exec(text) ?? [];
  return repository === undefined ? undefined : { repository, tag, digest };
}
