/** The system's own words for why a call failed, without the name of the call and the path that Node puts after them. */
export function systemMessage({ message }: Error): string {
  return message.replace(/, \w+( '.*')?$/s, '');
}
