/** Sections of RFCs as links. */

export interface Citation {
  readonly text: string;
  readonly url: string;
}

/** @param section "9112 5.1" */
export function citation(section: string): Citation {
  const [rfc = '', number = ''] = section.split(' ');
  const url = `https://www.rfc-editor.org/rfc/rfc${rfc}.html#section-${number}`;
  return { text: `RFC ${rfc} section ${number}`, url };
}

/** Finds the sections that a sentence of the trace names in the parentheses at its end.
 * What comes before them may be the client's text.
 * @returns the sentence in parts */
export function splitCitations(sentence: string): (string | Citation)[] {
  const end = /\((?:[^()]|\([^()]*\))*\)(?:, [\d.]+ s at most)?$/.exec(sentence);
  if (end === null) return [sentence];
  const parts = end[0].split(/RFC (\d{4} section \d+(?:\.\d+)*)/);
  const cited = parts.map((part, index) =>
    index % 2 === 1 ? citation(part.replace(' section', '')) : part,
  );
  return [sentence.slice(0, end.index), ...cited].filter((part) => part !== '');
}
