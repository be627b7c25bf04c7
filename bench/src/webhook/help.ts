export const webhookHelp = `Usage: npm run bench -- webhook [options]   hostile requests to the webhooks of the operators

  Sends the largest and the most awkward reviews that the limits allow to the webhooks of Locust and Tenant, each three times, and
  prints the longest turn of the event loop: the median of the CPU time of the main thread, so that other work on the machine
  does not count.

  --check           fails when a turn takes more than 100 ms of CPU time, or a request is not answered as a review
  --only TEXT       sends only requests whose webhook or name contains the text`;
