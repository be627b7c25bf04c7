/** The parts of an image reference. */
export interface ImageReference {
  /** The part before the tag and the digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** The maximum length of an image reference. */
export const imageLengthMax = 255;

// Every repetition is bounded, so that matching time is linear in the length.
const image =
  /^((?:[A-Za-z0-9.-]{1,253}(?::\d{1,5})?\/)?[a-z0-9._-]{1,255}(?:\/[a-z0-9._-]{1,255}){0,20})(?::(\w[\w.-]{0,127}))?(?:@([a-z0-9+._-]{1,64}:[0-9a-fA-F]{32,128}))?$/;

/**
 * Parses an image reference. Returns undefined if it is invalid.
 *
 * @example
 * parseImage("registry.example.com:5000/team/app:1.4.2"); // { repository: "registry.example.com:5000/team/app", tag: "1.4.2", digest: undefined }
 */
export function parseImage(text: string): ImageReference | undefined {
  if (text.length > imageLengthMax) return undefined;
  const [, repository, tag, digest] = image.exec(text) ?? [];
  return repository === undefined ? undefined : { repository, tag, digest };
}
