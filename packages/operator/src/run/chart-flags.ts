import { flag, type FlagsFor } from "../flags/flag.ts";
import { runFlags } from "../flags/run-flags.ts";

/** Settings of the command `chart`. */
export interface ChartSettings {
  readonly chartVersion: string | undefined;
  readonly help: boolean;
}

/** Flags of the command `chart`. */
export const chartFlags: FlagsFor<ChartSettings> = {
  chartVersion: flag.optional({
    help: "version of the chart; defaults to the version of the operator",
    placeholder: "1.2.3",
    env: null,
    check: (text) => (/^\d+\.\d+\.\d+\S*$/.test(text) ? undefined : "must be a semantic version such as 1.4.0"),
  }),
  help: runFlags.help,
};
