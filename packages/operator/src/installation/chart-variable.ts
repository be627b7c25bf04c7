/** An environment variable that the program reads directly, and the chart value that sets it. */
export type ChartVariable = PlainVariable | SecretVariable;

/** A chart value that turns some variables on. */
export interface ChartSwitch {
  /** The path of the chart value: `kafka.enabled`. */
  readonly value: string;
  readonly default: boolean;
  readonly help: string;
}

/** A variable with a string, a number or a boolean. */
export interface PlainVariable {
  /** The name of the variable: `POD_CPU_REQUEST`. */
  readonly variable: string;
  /** The path of the chart value, separated by dots: `pods.requests.cpu`. */
  readonly value: string;
  readonly default: string | number | boolean;
  /** The comment in `values.yaml`, a sentence. */
  readonly help?: string;
  /**
   * The path of the value in another chart, which takes precedence over the default. Its first segment must not be the name of a
   * value of this chart.
   */
  readonly formerly?: string;
  /** Sets the variable only while this switch is on. */
  readonly when?: ChartSwitch;
}

/** A variable whose value is in a Secret. While the name of the Secret is empty, the variable is not set. */
export interface SecretVariable {
  readonly variable: string;
  /** The path of the chart value with the name of the Secret. */
  readonly secret: string;
  /** The path of the chart value with the key in the Secret. */
  readonly key: string;
  /** The default of the key. */
  readonly default: string;
  readonly help?: string;
  readonly when?: ChartSwitch;
}
