/** The image of the server where nobody names another. */
export const serverImage = "neurallog/server:latest";

/** The image of Redis where nobody names another. */
export const redisImage = "redis:7-alpine";

/** The image of the exporter where nobody names another. */
export const exporterImage = "oliver006/redis_exporter:v1.43.0";

/** An image, as far as its tag matters. */
export interface ImageReference {
  /** Everything before the tag and the digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

// Each part is bounded, so that a long text costs no more than its length.
const image =
  /^((?:[A-Za-z0-9.-]{1,253}(?::\d{1,5})?\/)?[a-z0-9._-]{1,255}(?:\/[a-z0-9._-]{1,255}){0,20})(?::(\w[\w.-]{0,127}))?(?:@([a-z0-9+._-]{1,64}:[0-9a-fA-F]{32,128}))?$/;

/** The parts of an image's name; undefined for what is none. */
export function parseImage(text: string): ImageReference | undefined {
  if (text.length > 255) return undefined;
  const [, repository, tag, digest] = image.exec(text) ?? [];
  return repository === undefined ? undefined : { repository, tag, digest };
}
