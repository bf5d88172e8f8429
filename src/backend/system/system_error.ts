/** The system's message for a failed call, without the name of the call and the path that Node appends. */
export function systemMessage({ message }: Error): string {
  const end = message.search(/, \w+(?: '|$)/);
  return end === -1 ? message : message.slice(0, end);
}
