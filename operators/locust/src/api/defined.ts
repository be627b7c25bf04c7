/** Returns an object without its undefined properties, as the status and optional fields of a spec require. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> };
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
