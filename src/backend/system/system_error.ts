/** The system's message for a failed call, without the name of the call and the path that Node appends. */
export function systemMessage({ message }: Error): string {
  return message.replace(/, \w+( '.*')?$/s, '');
}
