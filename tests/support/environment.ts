/**
 * Takes everything but PATH out of the environment of the tests, so that what a run prints does not
 * depend on who starts it. Messages of the shell are in English.
 */
export const ONLY_PATH: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])),
  PATH: process.env['PATH'],
  LC_ALL: 'C',
};
