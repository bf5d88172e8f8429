import type * as v from 'valibot';

/** The values that a shape permits, if it permits only some. `true` and `false` are those of a boolean. */
export function fixedValues(shape: v.GenericSchema | undefined): readonly (string | boolean)[] {
  if (shape === undefined) return [];
  if (shape.type === 'boolean') return [true, false];
  if ('wrapped' in shape && isShape(shape.wrapped)) return fixedValues(shape.wrapped);
  if (shape.type === 'literal' && 'literal' in shape && typeof shape.literal === 'string') return [shape.literal];
  if (!('options' in shape) || !Array.isArray(shape.options)) return [];
  const options: readonly unknown[] = shape.options;
  return options.flatMap((option) => {
    if (shape.type === 'picklist') return typeof option === 'string' ? [option] : [];
    return isShape(option) ? fixedValues(option) : [];
  });
}

function isShape(value: unknown): value is v.GenericSchema {
  return typeof value === 'object' && value !== null && 'type' in value && 'kind' in value && value.kind === 'schema';
}
