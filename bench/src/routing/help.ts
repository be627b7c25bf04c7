export const routingHelp = `Usage: npm run bench -- routing [--check]   decisions about requests of sandbox environments

  Prints the CPU time of single decisions with tables of 1 and 20,000 entries, and of the search for a key in 1 KiB of baggage.

  --check           fails when a decision takes more than 5 µs or a search more than 1 µs, or when time grows with the number of entries`;
