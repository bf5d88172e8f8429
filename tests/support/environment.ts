/**
 * Removes all variables but PATH from the environment of the tests, so that the output of a run does not depend on it.
 * Messages of the shell are in English.
 */
export const ONLY_PATH: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined])),
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  CLI_NO_JOURNAL: '1',
};
