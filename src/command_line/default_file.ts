/** The path of the workflow file without `--file`. */
export const DEFAULT_FILE = '.cli/workflow.json';
