/** The name of a step's exit code in references: `${steps.NAME.exit_code}`. */
export const EXIT_CODE = 'exit_code';
