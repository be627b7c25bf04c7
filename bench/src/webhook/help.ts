export const webhookHelp = `Usage: npm run bench -- webhook [options]   hostile requests to the webhooks of the Locust operator

  Sends the largest and the most awkward reviews that the limits allow, each three times, and prints the longest turn of the
  operator's event loop: the median of the CPU time of its main thread, so that other work on the machine does not count.

  --check           fails when a turn takes more than 100 ms of CPU time`;
