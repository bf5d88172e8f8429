/** The time between SIGTERM and SIGKILL, in milliseconds. */
export const GRACE_PERIOD = 5000;
