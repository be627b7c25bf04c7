import { interruptible, type BenchContext } from "../harness/interruptible.ts";
import { type BurstName, type BurstOptions, readBurstArguments } from "./arguments.ts";
import { runLoadTests } from "./load-tests.ts";
import { createServices } from "./services.ts";
import type { BurstNumbers } from "./steadiness.ts";

const slowdownMax = 2;

const bursts: Readonly<Record<BurstName, (options: BurstOptions, context: BenchContext) => Promise<BurstNumbers>>> = {
  services: ({ services }, { signal }) => createServices(services, signal),
  locust: ({ tests, timeoutMs }, context) => runLoadTests(tests, timeoutMs, context),
};

/** Measures bursts of objects on the embedded cluster and prints a table. */
export async function runBurst(words: readonly string[]): Promise<void> {
  const options = readBurstArguments(words);
  await interruptible(async (context) => {
    console.log("| burst | objects | objects per CPU second | writes at first | writes at last | slowdown |");
    console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
    for (const name of options.bursts) {
      const { perSecond, first, last, slowdown } = await bursts[name](options, context);
      const count = name === "services" ? options.services : options.tests;
      const rates = [perSecond, first, last].map((rate) => rate.toFixed(1));
      console.log(`| ${name} | ${count} | ${rates.join(" | ")} | ${slowdown.toFixed(2)} |`);
      if (options.isChecked && slowdown > slowdownMax) process.exitCode = 1;
    }
  });
}
