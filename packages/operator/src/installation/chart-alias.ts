/** A value of another chart and its effect in this one. */
export interface ChartAlias {
  /** The path of the value in the other chart, separated by dots: `replicaCount`. */
  readonly value: string;
  /** The comment in `values.yaml`, a sentence. */
  readonly help: string;
  /** The JSON schema of the value. Null is always allowed as well. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly becomes: AliasEffect;
}

/** The effect of an alias that is set. */
export type AliasEffect =
  /** Sets the value of this chart at `to`. `as` and `when` are template expressions over `$value`. */
  | { readonly to: string; readonly as?: string; readonly when?: string }
  /** Fails the installation with the message `refusal`, because this chart cannot do what the value asks for. */
  | { readonly refusal: string; readonly when: string };
