/** Every rejection that the protocol layer can make, found by reading its sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import type { RejectedCase } from '../../src/study/probe/cases';

const SOURCES = join(__dirname, '..', '..', 'src', 'http');

/** Any text: what is known only when the rejection is made, such as a number of seconds. */
const ANY = '…';

/** The functions that make a rejection, and the words of each. */
const AUTHORITIES: Readonly<Record<string, string>> = {
  requiredBy: 'required by',
  allowedBy: 'allowed by',
  ourChoice: 'our choice',
};

/** A rejection in the sources. */
export interface SourceRejection {
  /** Its place: "file.ts:12". */
  readonly place: string;
  readonly status: string;
  readonly authority: string;
  /** The RFC and its section: "9112 5.1". */
  readonly section: string;
  readonly sentence: string;
}

export function title({ status, authority, section, sentence }: SourceRejection): string {
  return `${status} ${sentence} (${authority} ${section})`;
}

/** Whether a case provokes a rejection. */
export function isAbout(one: RejectedCase, source: SourceRejection): boolean {
  const { status, authority, section, what } = one;
  return (
    authority === source.authority &&
    toPattern(source.status).test(String(status)) &&
    toPattern(source.section).test(section) &&
    toPattern(source.sentence).test(what)
  );
}

/** @returns what matches the same text, with anything in place of ANY */
export function toPattern(text: string): RegExp {
  const parts = text.split(ANY).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

/** Finds each call of requiredBy(), allowedBy() and ourChoice(). */
export function readSources(): SourceRejection[] {
  return readdirSync(SOURCES).flatMap((file) => {
    const source = parse(file);
    const visit = (node: ts.Node): SourceRejection[] => [
      ...rejectionsOf(node, source),
      ...childrenOf(node).flatMap(visit),
    ];
    return visit(source);
  });
}

/** One for each text that a node can have: of `the ${kind} section` there are two. */
function rejectionsOf(node: ts.Node, source: ts.SourceFile): SourceRejection[] {
  const [name, section, reason, options] = partsOf(node);
  const authority = AUTHORITIES[name?.getText() ?? ''];
  if (authority === undefined || section === undefined || reason === undefined) return [];
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  const place = `${source.fileName}:${line + 1}`;
  return statusesOf(options).flatMap((status) =>
    textsOf(section).flatMap((section) =>
      textsOf(reason).map((sentence) => ({ place, status, authority, section, sentence })),
    ),
  );
}

/** The function that makes the error, section, reason and options of a call. */
function partsOf(node: ts.Node): (ts.Expression | undefined)[] {
  if (!ts.isCallExpression(node)) return [];
  const [section, , reason, options] = node.arguments;
  return [node.expression, section, reason, options];
}

function statusesOf(options: ts.Expression | undefined): string[] {
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return ['400'];
  const status = options.properties.find(({ name }) => name?.getText() === 'status');
  if (status === undefined) return ['400'];
  return ts.isPropertyAssignment(status) ? textsOf(status.initializer) : [ANY];
}

/** The texts that an expression can have, with ANY for what is not a literal or a
 * constant. */
function textsOf(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isNumericLiteral(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression)) {
    let texts = [expression.head.text];
    for (const { expression: part, literal } of expression.templateSpans) {
      texts = texts.flatMap((text) =>
        textsOf(part).map((value) => text + value + literal.text),
      );
    }
    return texts;
  }
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) ? textsOfName(name.text, expression) : [ANY];
}

/** @param from where the name is used: its nearest declaration counts, perhaps in another
 * file */
function textsOfName(name: string, from: ts.Node): string[] {
  for (let scope = from.parent; scope !== undefined; scope = scope.parent) {
    const declaration = declarationsIn(scope).find((each) => each.name.getText() === name);
    if (declaration !== undefined) return textsOfDeclaration(declaration);
    if (!ts.isSourceFile(scope)) continue;
    const [, file] =
      new RegExp(`\\b${name}\\b[^;]*from '\\./([\\w-]+)'`).exec(scope.text) ?? [];
    if (file !== undefined) return textsOfName(name, parse(`${file}.ts`).endOfFileToken);
  }
  return [ANY];
}

type Declaration = ts.VariableDeclaration | ts.ParameterDeclaration;

/** The constants and parameters that a node declares, those of a constructor for its
 * class. */
function declarationsIn(scope: ts.Node): readonly Declaration[] {
  if (ts.isFunctionLike(scope)) return scope.parameters.filter(ts.isParameter);
  if (ts.isVariableStatement(scope)) return scope.declarationList.declarations;
  const isOuter =
    ts.isBlock(scope) || ts.isSourceFile(scope) || ts.isClassDeclaration(scope);
  if (!isOuter) return [];
  return childrenOf(scope).flatMap((child) =>
    ts.isVariableStatement(child) || ts.isConstructorDeclaration(child)
      ? declarationsIn(child)
      : [],
  );
}

/** Those of the initializer, or of a type such as 'header' | 'trailer'. */
function textsOfDeclaration({ type, initializer }: Declaration): string[] {
  if (type === undefined) return initializer === undefined ? [ANY] : textsOf(initializer);
  if (!ts.isUnionTypeNode(type)) return [ANY];
  return type.types.map((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal)
      ? member.literal.text
      : ANY,
  );
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  return children;
}

const parsed = new Map<string, ts.SourceFile>();

function parse(file: string): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(SOURCES, file), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  parsed.set(file, source);
  return source;
}
