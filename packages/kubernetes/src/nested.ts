/** An object embedded in another one, with optional `apiVersion` and `kind`. */
export type Nested<T extends { apiVersion: string; kind: string }> = Omit<T, "apiVersion" | "kind"> &
  Partial<Pick<T, "apiVersion" | "kind">>;
