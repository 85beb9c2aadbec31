/** @returns a file of TypeScript as JavaScript */
export function compiled(file: string): string;
