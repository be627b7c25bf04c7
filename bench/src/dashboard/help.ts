export const dashboardHelp = `Usage: npm run bench -- dashboard [--check] [--record]   the dashboard of a cluster with 5,000 resources

  Runs the dashboard as a process beside an embedded API server, and opens its overview in Chromium. Prints the time until the resources are visible,
  the time until the page shows a change, the memory that an open page costs, and the CPU time while no page is open.

  --check           fails when a limit is exceeded
  --record          writes the result to docs/reference/dashboard-performance.md`;
