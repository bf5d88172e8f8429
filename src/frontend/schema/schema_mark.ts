/** The text before the version in the `$comment` of the schema for editors. */
export const SCHEMA_MARK = 'workflow-plan ';
