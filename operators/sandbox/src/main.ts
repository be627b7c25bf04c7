#!/usr/bin/env node
// Runs the operator.

import { runOperator } from "homeostat";
import { exitCodeOf, failureTextOf, systemClock } from "@homeostat/core";
import { connectToCluster, restoreCommand, restoreCommandName } from "./install/restore-command.ts";
import { sandboxOperator } from "./operator.ts";

const [word, ...argv] = process.argv.slice(2);
if (word === restoreCommandName) {
  const print = (text: string): void => void process.stdout.write(text);
  process.exitCode = await restoreCommand({
    argv,
    print,
    connect: (options) => connectToCluster(options, systemClock),
  }).catch((error: unknown) => {
    process.stderr.write(`sandbox-operator: ${failureTextOf(error)}\n`);
    return exitCodeOf(error);
  });
} else process.exitCode = await runOperator(sandboxOperator());
