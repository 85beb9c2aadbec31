/** What declares the lines of a source. */
import ts from 'typescript';

/** The names of the declarations around some lines, from the outside. */
export function enclosingNames(source: string, from: number, to: number): string[] {
  const file = ts.createSourceFile('', source, ts.ScriptTarget.ES2022);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    if (first > from || last < to) return;
    if ('name' in node) names.push((node as ts.NamedDeclaration).name?.getText(file) ?? '');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return names;
}
