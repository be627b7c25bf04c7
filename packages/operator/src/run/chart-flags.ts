import { flag, type FlagsFor } from "../flags/flag.ts";
import { runFlags } from "./run-flags.ts";

/** The settings of the command `chart`. */
export interface ChartSettings {
  readonly chartVersion: string | undefined;
  readonly help: boolean;
}

/** The flags of the command `chart`. */
export const chartFlags: FlagsFor<ChartSettings> = {
  chartVersion: flag.optional({
    help: "the version of the chart; else that of the operator",
    placeholder: "1.2.3",
    env: null,
    check: (text) => (/^\d+\.\d+\.\d+\S*$/.test(text) ? undefined : "has to be three numbers, as in 1.4.0"),
  }),
  help: runFlags.help,
};
