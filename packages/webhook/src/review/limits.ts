/**
 * Limits of the JSON in reviews, which any client that reaches the port may send.
 *
 * Conversion and admission have the same limits for an object, so an object that was admitted can be converted later.
 * Otherwise a user could store an object that breaks every list of its kind in another version.
 */
export interface ReviewLimits {
  /** Number of values of one object: elements of lists and fields of objects. */
  readonly objectValuesMax: number;
  /** Size of one object in bytes. */
  readonly objectBytesMax: number;
  /** Number of objects in one ConversionReview. */
  readonly objectsMax: number;
}

const mebibyte = 1024 * 1024;

/**
 * Default limits. An API server accepts objects of 3 MiB, and etcd stores 1.5 MiB. Parsing, converting and encoding
 * 50,000 values takes less than 100 ms. 100,000 objects are more than fit into the largest review, unless they are
 * smaller than any real object.
 */
export const defaultReviewLimits: ReviewLimits = {
  objectValuesMax: 50_000,
  objectBytesMax: 3 * mebibyte,
  objectsMax: 100_000,
};

/** Maximum nesting: deeper than any Kubernetes object, and shallow enough for every recursive function. */
export const depthMax = 500;

/** Number of values in a review besides its objects: uid, user, groups, options. */
export const envelopeValuesMax = 5_000;
