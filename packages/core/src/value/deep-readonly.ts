type Primitive = null | undefined | boolean | number | string | bigint | symbol;

/** `T` with all properties and elements readonly at every depth, such as objects of a cache. */
// `unknown` is kept, because a mapped type would turn it into `{}`. Primitives come before records, because a mapped type
// would treat a branded string as an object.
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends readonly (infer E)[]
      ? readonly DeepReadonly<E>[]
      : { readonly [K in keyof T]: DeepReadonly<T[K]> };
