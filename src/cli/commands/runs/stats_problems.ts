/** The error for a workflow without `--stats`. */
export const WITHOUT_STATS = "the name of a workflow needs '--stats'";

/** The error for `--stats` with a database. */
export const STATS_HERE = "'--stats' is for the runs on this machine, not with '--on'";
