/** A form for a person: a text, and booleans with their titles. */
export type Form = Readonly<{ message: string; booleans: readonly (readonly [name: string, title: string])[] }>;

/** The form in which a person approves a run. Each question of a step has a boolean of its own. */
export function approvalForm(title: string, text: string, questions: readonly string[]): Form {
  const asked = questions.map((question, index) => [`confirm_${index + 1}`, question] as const);
  return { message: text, booleans: [['run', title], ...asked] };
}

/** Whether an answer approves everything: it was sent, and every boolean is true. The answer is of other origin. */
export function isApproved({ booleans }: Form, answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null || !('action' in answer) || answer.action !== 'accept')
    return false;
  const content = 'content' in answer ? answer.content : undefined;
  if (typeof content !== 'object' || content === null) return false;
  const given = new Map<string, unknown>(Object.entries(content));
  return booleans.every(([name]) => given.get(name) === true);
}
