/** How to get the output of commands after a run, which is not stored by default. */
export const STORE_OUTPUT = 'to store the output next time, add --logs';
