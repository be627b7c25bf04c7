// The Prometheus text format, as far as the metrics of this server need it.

/** A metric family: name, type, help and samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** A sample: one line. Labels are written in this order. `suffix` is `_bucket`, `_sum` or `_count` in histograms. */
export interface MetricSample {
  readonly suffix?: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

/** Content type of `/metrics`. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** Formats metric families, sorted by name. */
export function exposition(families: readonly MetricFamily[]): string {
  const lines: string[] = [];
  for (const { name, type, help, samples } of families.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const { suffix = "", labels, value } of samples) {
      const labelsText = labels.map(([label, text]) => `${label}="${escaped(text)}"`).join(",");
      lines.push(`${name}${suffix}${labelsText === "" ? "" : `{${labelsText}}`} ${numberText(value)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Formats a number as Go does: large ones with an exponent of two digits. */
export function numberText(value: number): string {
  if (value === Infinity) return "+Inf";
  if (Math.abs(value) < 1e6 || !Number.isFinite(value)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

/** A histogram with fixed buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** `bounds` are the upper bounds of the buckets, without the infinite one. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** Returns the samples of the histogram: cumulative buckets, sum and count. */
  samples(labels: MetricSample["labels"]): MetricSample[] {
    let below = 0;
    const buckets = this.#bounds.map((bound, index) => {
      below += this.#counts[index] ?? 0;
      return { suffix: "_bucket", labels: [...labels, ["le", numberText(bound)] as const], value: below };
    });
    return [
      ...buckets,
      { suffix: "_bucket", labels: [...labels, ["le", "+Inf"] as const], value: this.#count },
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: this.#count },
    ];
  }
}
